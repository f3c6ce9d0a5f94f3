import { Controller, Get, Query, UseInterceptors } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Caller, RequireScope } from '../../access/access.decorators.js';
import type { Principal } from '../../access/principal.js';
import { ApiErrors } from '../../platform/errors/api-errors.decorator.js';
import { CallContextInterceptor } from '../request/call-context.interceptor.js';
import { FoundEventListDto, FoundMarketListDto, SearchQueryDto } from './found.dto.js';
import { FoundService } from './found.service.js';

/** What is found over all exchanges. */
@UseInterceptors(CallContextInterceptor)
@Controller()
export class FoundController {
  constructor(private readonly found: FoundService) {}

  @RequireScope('read', { orSession: true })
  @ApiOperation({
    summary: 'Find markets of all exchanges',
    description:
      'Open markets by words, in any order, with filters and sorts. They are as the last walk of each exchange found them (`as_of`); quotes ' +
      'are of the last seconds, or null. The same question at two exchanges is two markets: nothing says that they end alike.',
  })
  @ApiOkResponse({ type: FoundMarketListDto })
  @ApiErrors('bad_request', 'not_supported')
  @ApiTags('markets')
  @Get('markets')
  findMarkets(@Caller() caller: Principal, @Query() query: SearchQueryDto): Promise<FoundMarketListDto> {
    return this.found.listMarkets(caller, query);
  }

  @RequireScope('read', { orSession: true })
  @ApiOperation({
    summary: 'Find events of all exchanges',
    description: 'As the markets, with the ids of their open markets.',
  })
  @ApiOkResponse({ type: FoundEventListDto })
  @ApiErrors('bad_request', 'not_supported')
  @ApiTags('events')
  @Get('events')
  findEvents(@Caller() caller: Principal, @Query() query: SearchQueryDto): Promise<FoundEventListDto> {
    return this.found.listEvents(caller, query);
  }
}

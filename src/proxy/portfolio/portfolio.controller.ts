import { Controller, Get, UseInterceptors } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Caller, RequireScope } from '../../access/access.decorators.js';
import type { Principal } from '../../access/principal.js';
import { ApiErrors } from '../../platform/errors/api-errors.decorator.js';
import { CallContextInterceptor } from '../request/call-context.interceptor.js';
import { PortfolioDto } from './portfolio.dto.js';
import { PortfolioService } from './portfolio.service.js';

@UseInterceptors(CallContextInterceptor)
@ApiTags('portfolio')
@Controller('portfolio')
export class PortfolioController {
  constructor(private readonly portfolio: PortfolioService) {}

  @RequireScope('trade', { orSession: true })
  @ApiOperation({
    summary: 'What you have at all exchanges',
    description:
      'Money, what your positions are worth, and what you gained, of each exchange and summed by currency. An exchange that cannot be read leaves the ' +
      'others as they are. A position is worth the exchange’s own mark, else the best bid; what is unknown is null, in a total too.',
  })
  @ApiOkResponse({ type: PortfolioDto })
  @ApiErrors('service_unavailable')
  @Get()
  getPortfolio(@Caller() caller: Principal): Promise<PortfolioDto> {
    return this.portfolio.read(caller);
  }
}

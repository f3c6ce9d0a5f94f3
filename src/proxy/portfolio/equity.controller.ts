import { Body, Controller, Get, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Caller, RequireSession } from '../../access/access.decorators.js';
import type { SessionPrincipal } from '../../access/principal.js';
import { EquityDto, EquityQueryDto, HourlyEquityDto } from './equity.dto.js';
import { EquityService } from './equity.service.js';

@ApiTags('portfolio')
@Controller('account/equity')
export class EquityController {
  constructor(private readonly equity: EquityService) {}

  @RequireSession()
  @ApiOperation({
    summary: 'What you had over time',
    description:
      'A point of each reading of `GET /portfolio` by you or your main key, at most one in 15 minutes; kept for 400 days.',
  })
  @ApiOkResponse({ type: EquityDto })
  @Get()
  getEquity(@Caller() { userId }: SessionPrincipal, @Query() query: EquityQueryDto): Promise<EquityDto> {
    return this.equity.list(userId, query);
  }

  @RequireSession()
  @ApiOperation({
    summary: 'Record it each hour',
    description: 'Off at first. While it is on, the service reads your accounts each hour with the stored credentials.',
  })
  @ApiOkResponse({ type: HourlyEquityDto })
  @Put()
  setHourlyEquity(@Caller() caller: SessionPrincipal, @Body() { hourly }: HourlyEquityDto): Promise<HourlyEquityDto> {
    return this.equity.setHourly(caller, hourly);
  }
}

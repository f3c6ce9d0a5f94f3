import { Controller, Get, Query, UseInterceptors } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Caller, RequireScope } from '../../access/access.decorators.js';
import type { Principal } from '../../access/principal.js';
import { TRADING_ERRORS } from '../../exchanges/call.errors.js';
import { ApiExchangeOperation } from '../../exchanges/exchange-docs.js';
import type { Exchange } from '../../exchanges/exchange.js';
import { ApiExchangeParam, ExchangeParam } from '../../exchanges/exchange-param.decorator.js';
import { BalanceDto } from '../../exchanges/unified.trading.dto.js';
import { ApiErrors } from '../../platform/errors/api-errors.decorator.js';
import { CallContextInterceptor } from '../request/call-context.interceptor.js';
import {
  FillListDto,
  FillsQueryDto,
  PositionListDto,
  PositionsQueryDto,
  SettlementListDto,
  SettlementsQueryDto,
} from './holdings.dto.js';
import { HoldingsService } from './holdings.service.js';

/** What a user has at one exchange, and what became of it. */
@UseInterceptors(CallContextInterceptor)
@Controller(':exchange')
export class HoldingsController {
  constructor(private readonly holdings: HoldingsService) {}

  @RequireScope('trade', { orSession: true })
  @ApiExchangeOperation('Your balance', 'Money at the exchange, read with your stored credentials.')
  @ApiExchangeParam()
  @ApiOkResponse({ type: BalanceDto })
  @ApiErrors(...TRADING_ERRORS)
  @ApiTags('balance')
  @Get('balance')
  getBalance(@Caller() caller: Principal, @ExchangeParam() exchange: Exchange): Promise<BalanceDto> {
    return this.holdings.getBalance(caller, exchange);
  }

  @RequireScope('trade', { orSession: true })
  @ApiExchangeOperation('Your fills', 'Executions of your own orders, newest first.')
  @ApiExchangeParam()
  @ApiOkResponse({ type: FillListDto })
  @ApiErrors('not_supported', ...TRADING_ERRORS)
  @ApiTags('fills')
  @Get('fills')
  listFills(
    @Caller() caller: Principal,
    @ExchangeParam() exchange: Exchange,
    @Query() query: FillsQueryDto,
  ): Promise<FillListDto> {
    return this.holdings.listFills(caller, exchange, query);
  }

  @RequireScope('trade', { orSession: true })
  @ApiExchangeOperation('Your positions', 'What you hold of each outcome.')
  @ApiExchangeParam()
  @ApiOkResponse({ type: PositionListDto })
  @ApiErrors('not_supported', ...TRADING_ERRORS)
  @ApiTags('positions')
  @Get('positions')
  listPositions(
    @Caller() caller: Principal,
    @ExchangeParam() exchange: Exchange,
    @Query() query: PositionsQueryDto,
  ): Promise<PositionListDto> {
    return this.holdings.listPositions(caller, exchange, query);
  }

  @RequireScope('trade', { orSession: true })
  @ApiExchangeOperation(
    'What became of your positions',
    'Positions that were paid out when their market had ended, newest first: what was held, what it had cost and what it paid.',
  )
  @ApiExchangeParam()
  @ApiOkResponse({ type: SettlementListDto })
  @ApiErrors('not_supported', ...TRADING_ERRORS)
  @ApiTags('positions')
  @Get('settlements')
  listSettlements(
    @Caller() caller: Principal,
    @ExchangeParam() exchange: Exchange,
    @Query() query: SettlementsQueryDto,
  ): Promise<SettlementListDto> {
    return this.holdings.listSettlements(caller, exchange, query);
  }
}

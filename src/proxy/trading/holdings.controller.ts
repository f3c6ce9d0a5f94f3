import { Controller, Get, Query, Res, UseInterceptors } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Caller, RequireScope } from '../../access/access.decorators.js';
import type { Principal } from '../../access/principal.js';
import { TRADING_ERRORS } from '../../exchanges/call.errors.js';
import { ApiExchangeOperation } from '../../exchanges/exchange-docs.js';
import type { Exchange } from '../../exchanges/exchange.js';
import { ApiExchangeParam, ExchangeParam } from '../../exchanges/exchange-param.decorator.js';
import { BalanceDto } from '../../exchanges/unified.trading.dto.js';
import { ApiErrors } from '../../platform/errors/api-errors.decorator.js';
import type { PagingQueryDto } from '../paging/paging.dto.js';
import { CallContextInterceptor } from '../request/call-context.interceptor.js';
import { FILL_COLUMNS, SETTLEMENT_COLUMNS } from './csv-columns.js';
import { ApiCsv } from './csv.docs.js';
import { CsvFiles } from './csv-files.js';
import {
  CsvQueryDto,
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
  constructor(
    private readonly holdings: HoldingsService,
    private readonly files: CsvFiles,
  ) {}

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
  @ApiTags('portfolio')
  @Get('settlements')
  listSettlements(
    @Caller() caller: Principal,
    @ExchangeParam() exchange: Exchange,
    @Query() query: SettlementsQueryDto,
  ): Promise<SettlementListDto> {
    return this.holdings.listSettlements(caller, exchange, query);
  }

  @RequireScope('trade', { orSession: true })
  @ApiExchangeOperation(
    'Your fills as a CSV file',
    'RFC 4180, newest first, at most 100,000 rows; a file that ends early was broken off. One file of a user at a time.',
  )
  @ApiExchangeParam()
  @ApiCsv(FILL_COLUMNS)
  @ApiErrors('not_supported', ...TRADING_ERRORS)
  @ApiTags('fills')
  @Get('fills.csv')
  getFillsCsv(
    @Caller() caller: Principal,
    @ExchangeParam() exchange: Exchange,
    @Query() query: CsvQueryDto,
    @Res() response: Response,
  ): Promise<void> {
    return this.files.answer(caller.userId, response, {
      name: `${exchange.id}-fills.csv`,
      columns: FILL_COLUMNS,
      read: (cursor) => this.holdings.listFills(caller, exchange, pageOf(query, cursor)),
      timeOf: ({ timestamp }) => timestamp,
    });
  }

  @RequireScope('trade', { orSession: true })
  @ApiExchangeOperation(
    'What became of your positions, as a CSV file',
    'RFC 4180, newest first, at most 100,000 rows; a file that ends early was broken off. One file of a user at a time.',
  )
  @ApiExchangeParam()
  @ApiCsv(SETTLEMENT_COLUMNS)
  @ApiErrors('not_supported', ...TRADING_ERRORS)
  @ApiTags('portfolio')
  @Get('settlements.csv')
  getSettlementsCsv(
    @Caller() caller: Principal,
    @ExchangeParam() exchange: Exchange,
    @Query() query: CsvQueryDto,
    @Res() response: Response,
  ): Promise<void> {
    return this.files.answer(caller.userId, response, {
      name: `${exchange.id}-settlements.csv`,
      columns: SETTLEMENT_COLUMNS,
      read: (cursor) => this.holdings.listSettlements(caller, exchange, pageOf(query, cursor)),
      timeOf: ({ settled_at: at }) => at,
    });
  }
}

function pageOf({ market_id, start, end }: CsvQueryDto, cursor: string | null): CsvQueryDto & PagingQueryDto {
  const filters = { ...(market_id !== undefined && { market_id }), ...(start !== undefined && { start }) };
  return { ...filters, ...(end !== undefined && { end }), limit: '100', ...(cursor !== null && { cursor }) };
}

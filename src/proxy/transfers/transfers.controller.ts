import { Body, Controller, Get, HttpCode, Param, Post, Query, UseInterceptors } from '@nestjs/common';
import { ApiOkResponse, ApiParam, ApiTags } from '@nestjs/swagger';
import { Caller, RequireScope } from '../../access/access.decorators.js';
import type { ApiKeyPrincipal, Principal } from '../../access/principal.js';
import { TRADING_ERRORS } from '../../exchanges/call.errors.js';
import { ApiExchangeOperation } from '../../exchanges/exchange-docs.js';
import type { Exchange } from '../../exchanges/exchange.js';
import { ApiExchangeParam, ExchangeParam } from '../../exchanges/exchange-param.decorator.js';
import { TransferDto } from '../../exchanges/unified.trading.dto.js';
import { ApiErrors } from '../../platform/errors/api-errors.decorator.js';
import { ApiIdempotencyKey, type Idempotency, IdempotencyParam } from '../orders/idempotency.decorator.js';
import { PagingQueryDto } from '../paging/paging.dto.js';
import { CallContextInterceptor } from '../request/call-context.interceptor.js';
import { TransferListDto, TransferRequestDto } from './transfers.dto.js';
import { TransfersService } from './transfers.service.js';

@ApiTags('transfers')
@UseInterceptors(CallContextInterceptor)
@Controller(':exchange/transfers')
export class TransfersController {
  constructor(private readonly transfers: TransfersService) {}

  @RequireScope('admin')
  @ApiExchangeOperation(
    'Move money between shards',
    'Of one account at one exchange. The service never makes a transfer twice; one whose fate is unknown is ' +
      '`transfer_outcome_unknown`.',
  )
  @ApiExchangeParam()
  @ApiIdempotencyKey('transfer')
  @ApiOkResponse({ type: TransferDto })
  @ApiErrors(
    'transfer_outcome_unknown',
    'idempotency_in_progress',
    'idempotency_key_reused',
    'not_supported',
    ...TRADING_ERRORS,
  )
  @HttpCode(200)
  @Post()
  async createTransfer(
    @Caller() caller: ApiKeyPrincipal,
    @ExchangeParam() exchange: Exchange,
    @Body() body: TransferRequestDto,
    @IdempotencyParam() idempotency: Idempotency,
  ): Promise<TransferDto> {
    const { placed, origin } = await this.transfers.create(caller, exchange, body, idempotency.key);
    if (origin === 'replayed') idempotency.markReplayed();
    return placed;
  }

  @RequireScope('trade', { orSession: true })
  @ApiExchangeOperation('List your transfers', 'Between shards, newest first.')
  @ApiExchangeParam()
  @ApiOkResponse({ type: TransferListDto })
  @ApiErrors('not_supported', ...TRADING_ERRORS)
  @Get()
  listTransfers(
    @Caller() caller: Principal,
    @ExchangeParam() exchange: Exchange,
    @Query() query: PagingQueryDto,
  ): Promise<TransferListDto> {
    return this.transfers.list(caller, exchange, query);
  }

  @RequireScope('trade', { orSession: true })
  @ApiExchangeOperation('One of your transfers', 'By the id that the exchange gave it.')
  @ApiExchangeParam()
  @ApiParam({
    name: 'transfer_id',
    description: 'The id that the exchange gave it.',
    example: '97ec18b7-10d3-4557-9de0-8598aad625f0',
  })
  @ApiOkResponse({ type: TransferDto })
  @ApiErrors('not_supported', ...TRADING_ERRORS)
  @Get(':transfer_id')
  getTransfer(
    @Caller() caller: Principal,
    @ExchangeParam() exchange: Exchange,
    @Param('transfer_id') transferId: string,
  ): Promise<TransferDto> {
    return this.transfers.get(caller, exchange, transferId);
  }
}

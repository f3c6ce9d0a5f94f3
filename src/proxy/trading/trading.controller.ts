import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, UseInterceptors } from '@nestjs/common';
import { ApiOkResponse, ApiParam, ApiTags } from '@nestjs/swagger';
import { Caller, CountAsCancel, ForOwnOrders, RequireScope } from '../../access/access.decorators.js';
import { type ApiKeyPrincipal, type Principal } from '../../access/principal.js';
import { TRADING_ERRORS } from '../../exchanges/call.errors.js';
import { ApiExchangeOperation, ApiOrderBatchBody, ApiOrderBody } from '../../exchanges/exchange-docs.js';
import type { Exchange } from '../../exchanges/exchange.js';
import { ApiExchangeParam, ExchangeParam } from '../../exchanges/exchange-param.decorator.js';
import { CancelledOrderDto } from '../../exchanges/unified.trading.dto.js';
import { ApiErrors } from '../../platform/errors/api-errors.decorator.js';
import { QueryOnly } from '../../platform/http/strict-input.guard.js';
import { AbandonedKeysService } from '../orders/abandoned-keys.service.js';
import {
  ApiIdempotencyKey,
  ApiIdempotencyKeyParam,
  type Idempotency,
  IdempotencyParam,
  LONGEST_BATCH_KEY,
} from '../orders/idempotency.decorator.js';
import { OrderBatches } from '../orders/order-batches.service.js';
import { OrderKeysService } from '../orders/order-keys.service.js';
import {
  AbandonedKeyDto,
  BatchResultsDto,
  CancelledOrdersDto,
  CancelNamedDto,
  CancelQueryDto,
  CreatedOrderDto,
  KeyFateDto,
  ORDER_ID,
  OrderListDto,
  OrdersQueryDto,
  ReadOrderDto,
} from '../orders/orders.dto.js';
import { OrdersService } from '../orders/orders.service.js';
import { CallContextInterceptor } from '../request/call-context.interceptor.js';

@UseInterceptors(CallContextInterceptor)
@Controller(':exchange')
export class TradingController {
  constructor(
    private readonly orders: OrdersService,
    private readonly batches: OrderBatches,
    private readonly keys: OrderKeysService,
    private readonly abandonedKeys: AbandonedKeysService,
  ) {}

  @RequireScope('trade')
  @ApiExchangeOperation(
    'Create an order',
    'Any of buy and sell × outcome 0 and 1 reaches the exchange as exactly that. The service never sends an order ' +
      'twice; one whose fate is unknown is `order_outcome_unknown`.',
    'prepareOrder',
  )
  @ApiExchangeParam()
  @ApiOrderBody()
  @ApiIdempotencyKey('order')
  @ApiOkResponse({ type: CreatedOrderDto })
  @ApiErrors(
    'order_outcome_unknown',
    'order_of_another_bot',
    'bot_halted',
    'limit_exceeded',
    'idempotency_in_progress',
    'idempotency_key_abandoned',
    'idempotency_key_reused',
    'bot_halted',
    'not_supported',
    ...TRADING_ERRORS,
  )
  @HttpCode(200)
  @ApiTags('orders')
  @Post('orders')
  async createOrder(
    @Caller() caller: ApiKeyPrincipal,
    @ExchangeParam() exchange: Exchange,
    @Body() body: unknown,
    @IdempotencyParam() idempotency: Idempotency,
  ): Promise<CreatedOrderDto> {
    const created = await this.orders.create(caller, exchange, body, idempotency);
    if (created.replayed) idempotency.markReplayed();
    return created;
  }

  @RequireScope('trade')
  @ApiExchangeOperation(
    'Create up to 15 orders',
    'Each is an order of its own, checked, limited and answered alone, in the order of the list; they leave by the exchange’s own call for ' +
      'several orders. Under an `Idempotency-Key` the order at `index` has the key `<key>#<index>`, and a repeat sends the same list.',
  )
  @ApiExchangeParam()
  @ApiOrderBatchBody()
  @ApiIdempotencyKey('order', LONGEST_BATCH_KEY)
  @ApiOkResponse({ type: BatchResultsDto })
  @ApiErrors('bad_request')
  @HttpCode(200)
  @ApiTags('orders')
  @Post('orders/batch')
  createOrders(
    @Caller() caller: ApiKeyPrincipal,
    @ExchangeParam() exchange: Exchange,
    @Body() body: unknown,
    @IdempotencyParam() { key }: Idempotency,
  ): Promise<BatchResultsDto> {
    return this.batches.create(caller, exchange, body, key);
  }

  @ForOwnOrders()
  @RequireScope('trade', { orSession: true })
  @ApiExchangeOperation('List your orders', 'Open ones, or closed ones where the exchange keeps them.')
  @ApiExchangeParam()
  @ApiOkResponse({ type: OrderListDto })
  @ApiErrors('not_supported', ...TRADING_ERRORS)
  @ApiTags('orders')
  @Get('orders')
  listOrders(
    @Caller() caller: Principal,
    @ExchangeParam() exchange: Exchange,
    @Query() query: OrdersQueryDto,
  ): Promise<OrderListDto> {
    return this.orders.list(caller, exchange, query);
  }

  @QueryOnly()
  @CountAsCancel()
  @ForOwnOrders()
  @RequireScope('trade', { orSession: true })
  @ApiExchangeOperation(
    'Cancel your open orders',
    'All that are open when it is asked, or those on one market: one without orders is an empty report, one that there is ' +
      'not `not_found`. Safe to repeat, but the report names what this call cancelled, never what an earlier one did: where the ' +
      "exchange's answer was lost, the error has `details.may_have_been_cancelled` and all orders that it concerns in " +
      '`details.not_cancelled`; the cancel of one order says how that one ended. ' +
      'Where not all could be seen, the error has what was cancelled in `details.cancelled` and `details.not_cancelled`.',
    'cancelAllOrders',
  )
  @ApiExchangeParam()
  @ApiOkResponse({ type: CancelledOrdersDto })
  @ApiErrors(...TRADING_ERRORS)
  @ApiTags('orders')
  @Delete('orders')
  cancelOrders(
    @Caller() caller: Principal,
    @ExchangeParam() exchange: Exchange,
    @Query() query: CancelQueryDto,
  ): Promise<CancelledOrdersDto> {
    return this.orders.cancelAll(caller, exchange, query);
  }

  @CountAsCancel()
  @ForOwnOrders()
  @RequireScope('trade', { orSession: true })
  @ApiExchangeOperation(
    'Cancel up to 100 of your orders',
    'By their ids. The report has each of them; one that is not open, or not yours, is `not_found`. Safe to repeat.',
    'cancelAllOrders',
  )
  @ApiExchangeParam()
  @ApiOkResponse({ type: CancelledOrdersDto })
  @ApiErrors('bad_request', ...TRADING_ERRORS)
  @HttpCode(200)
  @ApiTags('orders')
  @Post('orders/batch-cancel')
  cancelNamedOrders(
    @Caller() caller: Principal,
    @ExchangeParam() exchange: Exchange,
    @Body() body: CancelNamedDto,
  ): Promise<CancelledOrdersDto> {
    return this.orders.cancelNamed(caller, exchange, body);
  }

  @ForOwnOrders()
  @RequireScope('trade', { orSession: true })
  @ApiExchangeOperation('One of your orders', 'By the id that the exchange gave it.')
  @ApiExchangeParam()
  @ApiParam(ORDER_ID)
  @ApiOkResponse({ type: ReadOrderDto })
  @ApiErrors(...TRADING_ERRORS)
  @ApiTags('orders')
  @Get('orders/:order_id')
  getOrder(
    @Caller() caller: Principal,
    @ExchangeParam() exchange: Exchange,
    @Param('order_id') orderId: string,
  ): Promise<ReadOrderDto> {
    return this.orders.get(caller, exchange, orderId);
  }

  @ForOwnOrders()
  @RequireScope('trade', { orSession: true })
  @ApiExchangeOperation(
    'What became of a key',
    'What our record says of the order under an `Idempotency-Key`, for 24 h after the last attempt. It asks the exchange nothing, sends ' +
      'nothing, and keeps no key alive. The repeat of the create decides what is unknown.',
  )
  @ApiExchangeParam()
  @ApiIdempotencyKeyParam()
  @ApiOkResponse({ type: KeyFateDto })
  @ApiErrors('bad_request', 'not_found')
  @ApiTags('orders')
  @Get('orders/by-key/:idempotency_key')
  getOrderByKey(
    @Caller() caller: Principal,
    @ExchangeParam() exchange: Exchange,
    @Param('idempotency_key') key: string,
  ): Promise<KeyFateDto> {
    return this.keys.get(caller, exchange, key);
  }

  @CountAsCancel()
  @ForOwnOrders()
  @RequireScope('trade', { orSession: true })
  @ApiExchangeOperation(
    'Abandon a key',
    'From the answer on, an error too, no call sends an order under this `Idempotency-Key`, for 24 h: a create is ' +
      '`idempotency_key_abandoned`. What was made under it is looked up and cancelled. While that cannot be known, the answer is ' +
      '`order_outcome_unknown` with `details.refusal_holds_at`: repeat the call. At most 1,000 keys of a user are abandoned ' +
      'without an order.',
  )
  @ApiExchangeParam()
  @ApiIdempotencyKeyParam()
  @ApiOkResponse({ type: AbandonedKeyDto })
  @ApiErrors('order_outcome_unknown', 'rate_limited', ...TRADING_ERRORS)
  @ApiTags('orders')
  @Delete('orders/by-key/:idempotency_key')
  abandonOrderKey(
    @Caller() caller: Principal,
    @ExchangeParam() exchange: Exchange,
    @Param('idempotency_key') key: string,
  ): Promise<AbandonedKeyDto> {
    return this.abandonedKeys.abandon(caller, exchange, key);
  }

  @CountAsCancel()
  @ForOwnOrders()
  @RequireScope('trade', { orSession: true })
  @ApiExchangeOperation(
    'Cancel an order',
    'What is left of it; what has filled stays filled. Safe to repeat: of an order that is over it answers how it ended. Where the ' +
      "exchange's answer was lost, the error has `details.may_have_been_cancelled`: repeat the call.",
  )
  @ApiExchangeParam()
  @ApiParam(ORDER_ID)
  @ApiOkResponse({ type: CancelledOrderDto })
  @ApiErrors(...TRADING_ERRORS)
  @ApiTags('orders')
  @Delete('orders/:order_id')
  cancelOrder(
    @Caller() caller: Principal,
    @ExchangeParam() exchange: Exchange,
    @Param('order_id') orderId: string,
  ): Promise<CancelledOrderDto> {
    return this.orders.cancel(caller, exchange, orderId);
  }
}

import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, UseInterceptors } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiParam, ApiTags } from '@nestjs/swagger';
import { Caller, RequireScope } from '../../access/access.decorators.js';
import type { ApiKeyPrincipal } from '../../access/principal.js';
import { TRADING_ERRORS } from '../../exchanges/call.errors.js';
import { ApiExchangeOperation, ApiOrderBody } from '../../exchanges/exchange-docs.js';
import type { Exchange } from '../../exchanges/exchange.js';
import { ApiExchangeParam, ExchangeParam } from '../../exchanges/exchange-param.decorator.js';
import { BalanceDto, CancelledOrderDto, OrderDto } from '../../exchanges/unified.trading.dto.js';
import { ApiErrors } from '../../platform/errors/api-errors.decorator.js';
import { QueryOnly } from '../../platform/http/strict-input.guard.js';
import { type Idempotency, IdempotencyParam } from '../orders/idempotency.decorator.js';
import { CancelledOrdersDto, CancelQueryDto, OrderListDto, OrdersQueryDto } from '../orders/orders.dto.js';
import { OrdersService } from '../orders/orders.service.js';
import { CallContextInterceptor } from '../request/call-context.interceptor.js';
import { FillListDto, FillsQueryDto, PositionListDto, PositionsQueryDto } from './portfolio.dto.js';
import { PortfolioService } from './portfolio.service.js';

const ORDER_ID = { name: 'order_id', example: '97ec18b7-10d3-4557-9de0-8598aad625f0' } as const;

@ApiTags('Trading')
@UseInterceptors(CallContextInterceptor)
@Controller(':exchange')
export class TradingController {
  constructor(
    private readonly orders: OrdersService,
    private readonly portfolio: PortfolioService,
  ) {}

  @RequireScope('trade')
  @ApiExchangeOperation('Your balance', 'Money at the exchange, read with your stored credentials.')
  @ApiExchangeParam()
  @ApiOkResponse({ type: BalanceDto })
  @ApiErrors(...TRADING_ERRORS)
  @Get('balance')
  getBalance(@Caller() caller: ApiKeyPrincipal, @ExchangeParam() exchange: Exchange): Promise<BalanceDto> {
    return this.portfolio.getBalance(caller, exchange);
  }

  @RequireScope('trade')
  @ApiExchangeOperation(
    'Create an order',
    'Any of buy and sell × outcome 0 and 1 reaches the exchange as exactly that. The service never sends an order ' +
      'twice; one whose fate is unknown is `order_outcome_unknown`.',
    'prepareOrder',
  )
  @ApiExchangeParam()
  @ApiOrderBody()
  @ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description:
      'Kept for 24 h after the last attempt: the same order under the same key is sent once, however often it is repeated.',
  })
  @ApiOkResponse({ type: OrderDto })
  @ApiErrors('order_outcome_unknown', 'idempotency_in_progress', 'idempotency_key_reused', ...TRADING_ERRORS)
  @HttpCode(200)
  @Post('orders')
  async createOrder(
    @Caller() caller: ApiKeyPrincipal,
    @ExchangeParam() exchange: Exchange,
    @Body() body: unknown,
    @IdempotencyParam() idempotency: Idempotency,
  ): Promise<OrderDto> {
    const { order, origin } = await this.orders.create(caller, exchange, body, idempotency.key);
    if (origin === 'replayed') idempotency.markReplayed();
    return order;
  }

  @RequireScope('trade')
  @ApiExchangeOperation('List your orders', 'Open ones, or closed ones where the exchange keeps them.')
  @ApiExchangeParam()
  @ApiOkResponse({ type: OrderListDto })
  @ApiErrors('not_supported', ...TRADING_ERRORS)
  @Get('orders')
  listOrders(
    @Caller() caller: ApiKeyPrincipal,
    @ExchangeParam() exchange: Exchange,
    @Query() query: OrdersQueryDto,
  ): Promise<OrderListDto> {
    return this.orders.list(caller, exchange, query);
  }

  @QueryOnly()
  @RequireScope('trade')
  @ApiExchangeOperation(
    'Cancel your open orders',
    'All that are open when it is asked, or those on one market: one without orders, known or not, is an empty report. ' +
      'Where not all could be seen, the error has what was cancelled in `details.cancelled` and `details.not_cancelled`.',
  )
  @ApiExchangeParam()
  @ApiOkResponse({ type: CancelledOrdersDto })
  @ApiErrors(...TRADING_ERRORS)
  @Delete('orders')
  cancelAllOrders(
    @Caller() caller: ApiKeyPrincipal,
    @ExchangeParam() exchange: Exchange,
    @Query() query: CancelQueryDto,
  ): Promise<CancelledOrdersDto> {
    return this.orders.cancelAll(caller, exchange, query);
  }

  @RequireScope('trade')
  @ApiExchangeOperation('One of your orders', 'By the id that the exchange gave it.')
  @ApiExchangeParam()
  @ApiParam(ORDER_ID)
  @ApiOkResponse({ type: OrderDto })
  @ApiErrors(...TRADING_ERRORS)
  @Get('orders/:order_id')
  getOrder(
    @Caller() caller: ApiKeyPrincipal,
    @ExchangeParam() exchange: Exchange,
    @Param('order_id') orderId: string,
  ): Promise<OrderDto> {
    return this.orders.get(caller, exchange, orderId);
  }

  @RequireScope('trade')
  @ApiExchangeOperation('Cancel an order', 'What is left of it; what has filled stays filled.')
  @ApiExchangeParam()
  @ApiParam(ORDER_ID)
  @ApiOkResponse({ type: CancelledOrderDto })
  @ApiErrors(...TRADING_ERRORS)
  @Delete('orders/:order_id')
  cancelOrder(
    @Caller() caller: ApiKeyPrincipal,
    @ExchangeParam() exchange: Exchange,
    @Param('order_id') orderId: string,
  ): Promise<CancelledOrderDto> {
    return this.orders.cancel(caller, exchange, orderId);
  }

  @RequireScope('trade')
  @ApiExchangeOperation('Your fills', 'Executions of your own orders, newest first.')
  @ApiExchangeParam()
  @ApiOkResponse({ type: FillListDto })
  @ApiErrors('not_supported', ...TRADING_ERRORS)
  @Get('fills')
  listFills(
    @Caller() caller: ApiKeyPrincipal,
    @ExchangeParam() exchange: Exchange,
    @Query() query: FillsQueryDto,
  ): Promise<FillListDto> {
    return this.portfolio.listFills(caller, exchange, query);
  }

  @RequireScope('trade')
  @ApiExchangeOperation('Your positions', 'What you hold of each outcome.')
  @ApiExchangeParam()
  @ApiOkResponse({ type: PositionListDto })
  @ApiErrors('not_supported', ...TRADING_ERRORS)
  @Get('positions')
  listPositions(
    @Caller() caller: ApiKeyPrincipal,
    @ExchangeParam() exchange: Exchange,
    @Query() query: PositionsQueryDto,
  ): Promise<PositionListDto> {
    return this.portfolio.listPositions(caller, exchange, query);
  }
}

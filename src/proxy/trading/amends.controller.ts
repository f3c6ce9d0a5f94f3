import { Body, Controller, Param, Patch, UseInterceptors } from '@nestjs/common';
import { ApiOkResponse, ApiParam, ApiTags } from '@nestjs/swagger';
import { Caller, RequireScope } from '../../access/access.decorators.js';
import type { ApiKeyPrincipal } from '../../access/principal.js';
import { TRADING_ERRORS } from '../../exchanges/call.errors.js';
import { ApiExchangeOperation } from '../../exchanges/exchange-docs.js';
import type { Exchange } from '../../exchanges/exchange.js';
import { ApiExchangeParam, ExchangeParam } from '../../exchanges/exchange-param.decorator.js';
import { ApiErrors } from '../../platform/errors/api-errors.decorator.js';
import { OrderAmends } from '../orders/order-amends.service.js';
import { AmendOrderDto, ORDER_ID, ReadOrderDto } from '../orders/orders.dto.js';
import { CallContextInterceptor } from '../request/call-context.interceptor.js';

@UseInterceptors(CallContextInterceptor)
@Controller(':exchange')
export class AmendsController {
  constructor(private readonly amends: OrderAmends) {}

  @RequireScope('trade')
  @ApiExchangeOperation(
    'Change an order',
    'Of an order that rests: its price, its size, when it ends, or several of these; the id stays. `price` is that of the `outcome` and `side` ' +
      'that a read of the order shows, and `size` the whole, what has filled included. What is not named stays as a read just before shows it. ' +
      'The service sends a change once. Where the answer was lost it is `order_outcome_unknown` with `details.order_id`: read the order, or repeat ' +
      'the call. An order that does not rest any more is `exchange_rejected`, reason `not_amendable`.',
    'prepareAmend',
  )
  @ApiExchangeParam()
  @ApiParam(ORDER_ID)
  @ApiOkResponse({ type: ReadOrderDto })
  @ApiErrors('order_outcome_unknown', 'bot_halted', 'limit_exceeded', 'not_supported', ...TRADING_ERRORS)
  @ApiTags('orders')
  @Patch('orders/:order_id')
  amendOrder(
    @Caller() caller: ApiKeyPrincipal,
    @ExchangeParam() exchange: Exchange,
    @Param('order_id') orderId: string,
    @Body() body: AmendOrderDto,
  ): Promise<ReadOrderDto> {
    return this.amends.amend(caller, exchange, orderId, body);
  }
}

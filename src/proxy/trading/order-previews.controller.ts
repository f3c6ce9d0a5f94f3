import { Body, Controller, HttpCode, Post, UseInterceptors } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Caller, RequireScope } from '../../access/access.decorators.js';
import type { Principal } from '../../access/principal.js';
import { TRADING_ERRORS } from '../../exchanges/call.errors.js';
import { ApiExchangeOperation, ApiOrderBody } from '../../exchanges/exchange-docs.js';
import type { Exchange } from '../../exchanges/exchange.js';
import { ApiExchangeParam, ExchangeParam } from '../../exchanges/exchange-param.decorator.js';
import { ApiErrors } from '../../platform/errors/api-errors.decorator.js';
import { OrderPreviewDto } from '../orders/order-previews.dto.js';
import { OrderPreviews } from '../orders/order-previews.service.js';
import { CallContextInterceptor } from '../request/call-context.interceptor.js';

@UseInterceptors(CallContextInterceptor)
@Controller(':exchange')
export class OrderPreviewsController {
  constructor(private readonly previews: OrderPreviews) {}

  @RequireScope('trade', { orSession: true })
  @ApiExchangeOperation(
    'What an order would come to',
    'The body of a create. The order is checked, prepared and held against the limits of its bot as one that is to be sent; then nothing is sent, ' +
      'signed, recorded, reserved or counted. What is wrong with the body is the error of the create; what a limit or the exchange would ' +
      'refuse is `would_be_refused`, the first that the create would meet. All by what is known now: the exchange decides when it gets the order.',
    'prepareOrder',
  )
  @ApiExchangeParam()
  @ApiOrderBody()
  @ApiOkResponse({ type: OrderPreviewDto })
  @ApiErrors('not_supported', ...TRADING_ERRORS)
  @HttpCode(200)
  @ApiTags('orders')
  @Post('orders/preview')
  previewOrder(
    @Caller() caller: Principal,
    @ExchangeParam() exchange: Exchange,
    @Body() body: unknown,
  ): Promise<OrderPreviewDto> {
    return this.previews.preview(caller, exchange, body);
  }
}

import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import type { Exchange } from './exchange.js';
import type { ExchangeRequest } from './exchange.interceptor.js';
import { EXCHANGE_IDS } from './exchange.registry.js';

/** The exchange that the path names. */
export const ExchangeParam = createParamDecorator((_: unknown, context: ExecutionContext): Exchange => {
  const { exchange } = context.switchToHttp().getRequest<ExchangeRequest>();
  if (exchange === undefined) throw new Error('@ExchangeParam() stands on a route without :exchange');
  return exchange;
});

/** Documents the path parameter `exchange`. */
export function ApiExchangeParam(): MethodDecorator {
  return applyDecorators(ApiParam({ name: 'exchange', enum: EXCHANGE_IDS, example: EXCHANGE_IDS[0] }));
}

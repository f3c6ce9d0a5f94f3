import { applyDecorators, createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import type { Exchange } from './exchange.js';
import { SESSION_KEY_TEXTS } from './exchange-docs.js';
import { type ExchangeRequest, NEEDS_SESSION_KEYS } from './exchange.guard.js';
import { EXCHANGE_IDS } from './exchange.registry.js';

const WITH_SESSION_KEYS = SESSION_KEY_TEXTS.map(({ id }) => id);

/** The exchange that the path names. */
export const ExchangeParam = createParamDecorator((_: unknown, context: ExecutionContext): Exchange => {
  const { exchange } = context.switchToHttp().getRequest<ExchangeRequest>();
  if (exchange === undefined) throw new Error('@ExchangeParam() stands on a route without :exchange');
  return exchange;
});

/** Documents the path parameter `exchange`. */
export function ApiExchangeParam(): MethodDecorator {
  return applyDecorators(
    ApiParam({
      name: 'exchange',
      description: 'The id of the exchange.',
      enum: EXCHANGE_IDS,
      example: EXCHANGE_IDS[0],
    }),
  );
}

/** Documents the path parameter of a route that is there for exchanges with session keys alone: 404 for others (contract.md 5.9). */
export function ApiSessionKeyExchangeParam(): MethodDecorator {
  return applyDecorators(
    SetMetadata(NEEDS_SESSION_KEYS, true),
    ApiParam({
      name: 'exchange',
      description: 'The id of the exchange.',
      enum: WITH_SESSION_KEYS,
      example: WITH_SESSION_KEYS[0],
    }),
  );
}

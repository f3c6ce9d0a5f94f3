import { Module } from '@nestjs/common';
import type { Exchange } from './exchange.js';
import { CONSTRUCTED_EXCHANGES, ExchangeRegistry, EXCHANGES } from './exchange.registry.js';

/** Constructs every exchange of the list. */
@Module({
  providers: [
    ...EXCHANGES,
    {
      provide: CONSTRUCTED_EXCHANGES,
      useFactory: (...exchanges: Exchange[]): Exchange[] => exchanges,
      inject: [...EXCHANGES],
    },
    ExchangeRegistry,
  ],
  exports: [ExchangeRegistry],
})
export class ExchangesModule {}

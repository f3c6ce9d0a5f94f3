import { Module } from '@nestjs/common';
import type { Exchange } from './exchange.js';
import { CONSTRUCTED_EXCHANGES, ExchangeRegistry, EXCHANGES } from './exchange.registry.js';
import { LongReads } from './long-reads.js';

/** Constructs every exchange of the list. */
@Module({
  providers: [
    LongReads,
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

import { Module } from '@nestjs/common';
import { MetricsModule } from '../platform/metrics/metrics.module.js';
import type { Exchange } from './exchange.js';
import { ExchangeMetrics } from './exchange-metrics.js';
import { CONSTRUCTED_EXCHANGES, ExchangeRegistry, EXCHANGES } from './exchange.registry.js';
import { LongReads } from './long-reads.js';

/** Constructs every exchange of the list. */
@Module({
  imports: [MetricsModule],
  providers: [
    ExchangeMetrics,
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

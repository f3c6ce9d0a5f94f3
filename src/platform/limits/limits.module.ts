import { Global, Module } from '@nestjs/common';
import { MetricsModule } from '../metrics/metrics.module.js';
import { DurableLimits } from './durable-limits.repository.js';
import { LimitMetrics } from './limit-metrics.js';
import { RequestRates } from './request-rates.js';

/** Rate limits: request rates in memory or Redis, the others in PostgreSQL. */
@Global()
@Module({
  imports: [MetricsModule],
  providers: [DurableLimits, LimitMetrics, RequestRates],
  exports: [DurableLimits, RequestRates],
})
export class LimitsModule {}

import { Global, Module } from '@nestjs/common';
import { DurableLimits } from './durable-limits.repository.js';
import { RequestRates } from './request-rates.js';

/** Rate limits: request rates in memory or Redis, the others in PostgreSQL. */
@Global()
@Module({ providers: [DurableLimits, RequestRates], exports: [DurableLimits, RequestRates] })
export class LimitsModule {}

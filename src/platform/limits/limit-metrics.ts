import { Injectable } from '@nestjs/common';
import { Metrics } from '../metrics/metrics.js';
import { DurableLimits } from './durable-limits.repository.js';
import { RequestRates } from './request-rates.js';

/** Shows the limits that were passed, and whether Redis counts. */
@Injectable()
export class LimitMetrics {
  constructor(metrics: Metrics, rates: RequestRates, durable: DurableLimits) {
    metrics.counter(
      { name: 'limit_hits_total', help: 'Calls over a limit, by the limit.', labelNames: rates.exceeded.labelNames },
      () => [...rates.exceeded.samples, ...durable.exceeded.samples],
    );
    metrics.gauge(
      { name: 'redis_up', help: '1 while Redis counts, 0 while each process does; none without REDIS_URL.' },
      async () => {
        const counts = await rates.redisCounts();
        return counts === null ? [] : [{ value: counts ? 1 : 0 }];
      },
    );
  }
}

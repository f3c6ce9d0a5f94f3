import { Injectable } from '@nestjs/common';
import { Metrics } from '../platform/metrics/metrics.js';
import { ApiKeyCache } from './api-key-cache.js';

/** Shows the cache of API keys. */
@Injectable()
export class ApiKeyMetrics {
  constructor(metrics: Metrics, cache: ApiKeyCache) {
    for (const result of ['hit', 'miss']) cache.uses.expect(result);
    metrics.gauge({ name: 'api_key_cache_entries', help: 'API keys of which the facts are kept.' }, () => [
      { value: cache.size },
    ]);
    metrics.tally(
      { name: 'api_key_cache_uses_total', help: 'Look-ups of API keys, from the cache or not.' },
      cache.uses,
    );
  }
}

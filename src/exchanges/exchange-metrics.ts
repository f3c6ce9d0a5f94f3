import { Injectable } from '@nestjs/common';
import { Metrics } from '../platform/metrics/metrics.js';
import { ExchangeRegistry } from './exchange.registry.js';

/** Shows the markets that are left out of lists, since they are not understood (R-24, polymarket.md 15). */
@Injectable()
export class ExchangeMetrics {
  constructor(metrics: Metrics, registry: ExchangeRegistry) {
    metrics.counter(
      {
        name: 'markets_left_out_total',
        help: 'Markets that were left out of lists, each time that they were in one.',
        labelNames: ['exchange', 'reason'],
      },
      () =>
        registry.all.flatMap(({ id, marketsLeftOut = {} }) =>
          Object.entries(marketsLeftOut).map(([reason, value]) => ({ labels: { exchange: id, reason }, value })),
        ),
    );
  }
}

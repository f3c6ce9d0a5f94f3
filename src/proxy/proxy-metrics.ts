import { Injectable } from '@nestjs/common';
import { ExchangeRegistry } from '../exchanges/exchange.registry.js';
import { Metrics } from '../platform/metrics/metrics.js';
import { FinishedAnswers } from './answers/finished-answers.js';
import { OrderFinder } from './orders/order-finder.js';
import { PLACEMENT_OUTCOMES, PlacementCounts } from './orders/placement-counts.js';

/** Shows what became of orders, transfers and look-ups, and the finished answers. */
@Injectable()
export class ProxyMetrics {
  constructor(
    private readonly metrics: Metrics,
    registry: ExchangeRegistry,
    counts: PlacementCounts,
    finder: OrderFinder,
    answers: FinishedAnswers,
  ) {
    for (const { id } of registry.all) {
      for (const outcome of PLACEMENT_OUTCOMES) {
        counts.orders.expect(id, outcome);
        counts.transfers.expect(id, outcome);
      }
    }
    metrics.tally({ name: 'orders_total', help: 'Calls that create an order, by how they ended.' }, counts.orders);
    metrics.tally(
      { name: 'transfers_total', help: 'Calls that create a transfer, by how they ended.' },
      counts.transfers,
    );
    for (const outcome of ['found', 'absent', 'failed', 'taken_over']) finder.lookUps.expect(outcome);
    metrics.tally(
      { name: 'order_lookups_total', help: 'Look-ups of orders that may exist, by how they ended.' },
      finder.lookUps,
    );
    this.#showAnswers(answers);
  }

  #showAnswers(answers: FinishedAnswers): void {
    for (const result of ['hit', 'miss']) answers.uses.expect(result);
    const uses = 'Requests for public market data, answered with a finished answer or not.';
    this.metrics.tally({ name: 'answer_cache_uses_total', help: uses }, answers.uses);
    this.metrics.gauge({ name: 'answer_cache_entries', help: 'Finished answers that are kept.' }, () => [
      { value: answers.size.entries },
    ]);
    this.metrics.gauge({ name: 'answer_cache_bytes', help: 'Their bytes.' }, () => [{ value: answers.size.bytes }]);
  }
}

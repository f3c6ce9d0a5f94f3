import { Injectable } from '@nestjs/common';
import { ExchangeRegistry } from '../exchanges/exchange.registry.js';
import { Metrics } from '../platform/metrics/metrics.js';
import { LookUps } from './placing/look-ups.js';
import { OrderSettler } from './orders/order-settler.js';
import { PLACEMENT_OUTCOMES, PlacementCounts, REFUSING_LIMITS } from './placing/placement-counts.js';
import { RESERVATION_OUTCOMES, Sendings } from './placing/sendings.js';

/** A change is neither repeated nor found. */
const AMEND_OUTCOMES = [
  'accepted',
  'refused',
  'unknown',
  'not_sent',
] as const satisfies (typeof PLACEMENT_OUTCOMES)[number][];

/** Shows what became of orders, transfers and look-ups. */
@Injectable()
export class ProxyMetrics {
  constructor(
    metrics: Metrics,
    registry: ExchangeRegistry,
    counts: PlacementCounts,
    lookUps: LookUps,
    settler: OrderSettler,
    sendings: Sendings,
  ) {
    for (const { id } of registry.all) {
      for (const outcome of PLACEMENT_OUTCOMES) {
        counts.order.expect(id, outcome);
        counts.transfer.expect(id, outcome);
      }
      for (const outcome of AMEND_OUTCOMES) counts.amend.expect(id, outcome);
    }
    metrics.tally({ name: 'orders_total', help: 'Calls that create an order, by how they ended.' }, counts.order);
    metrics.tally(
      { name: 'transfers_total', help: 'Calls that create a transfer, by how they ended.' },
      counts.transfer,
    );
    metrics.tally({ name: 'order_amends_total', help: 'Calls that change an order, by how they ended.' }, counts.amend);
    for (const outcome of ['found', 'absent', 'failed', 'taken_over']) lookUps.ends.expect(outcome);
    metrics.tally(
      { name: 'order_lookups_total', help: 'Look-ups of orders and transfers that may exist, by how they ended.' },
      lookUps.ends,
    );
    for (const outcome of ['made', 'none', 'unknown']) settler.ends.expect(outcome);
    metrics.tally(
      { name: 'orders_settled_total', help: 'Orders that were looked up although nobody asked, by what they are.' },
      settler.ends,
    );
    for (const outcome of RESERVATION_OUTCOMES) sendings.reservations.expect(outcome);
    metrics.tally(
      {
        name: 'bot_reservations_total',
        help: 'Sendings of orders of bots that were about to begin, by what came of it.',
      },
      sendings.reservations,
    );
    for (const limit of REFUSING_LIMITS) counts.limits.expect(limit);
    metrics.tally(
      { name: 'bot_limit_refusals_total', help: 'Orders of bots that a limit refused, by the limit.' },
      counts.limits,
    );
  }
}

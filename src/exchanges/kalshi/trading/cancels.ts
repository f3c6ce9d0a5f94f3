import { AppError } from '../../../platform/errors/app-error.js';
import { pathOf } from '../../../platform/upstream/path.js';
import { optionalReadLimit, readOptional } from '../../optional-read.js';
import type { CancelledOrderDto } from '../../unified.trading.dto.js';
import { scrubCode } from '../../upstream-text.js';
import type { SignedKalshiClient } from '../connection/client.js';
import { type WireCancelOutcome, type WirePlace, wireCancelled, wireCancelledBatch } from './order.wire.js';
import type { KalshiOrders } from './orders.js';

/** So many cancels at once fit the smallest write budget (kalshi.md 6). */
const BATCH = 20;

/** What became of each order that was to be cancelled. */
export interface CancelReport {
  readonly cancelled: string[];
  readonly not_cancelled: { id: string; reason: string }[];
}

/** Takes orders out of the book. A cancel is sent once; the exchange finds the order's shard by its market. */
export class KalshiCancels {
  constructor(
    private readonly client: SignedKalshiClient,
    private readonly orders: KalshiOrders,
  ) {}

  async one(orderId: string): Promise<CancelledOrderDto> {
    const query = { market_ticker: await this.#marketOf(orderId) };
    const path = pathOf`/portfolio/events/orders/${orderId}`;
    const { body, receivedAt } = await this.client.delete(path, { query }, wireCancelled);
    return {
      exchange: 'kalshi',
      id: body.order_id,
      status: 'cancelled',
      cancelled_size: body.reduced_by,
      timestamp: new Date(body.ts_ms ?? receivedAt).toISOString(),
    };
  }

  /** All orders that are open now, in batches: never the exchange's own cancel-all, which may hit later orders too. */
  async all(): Promise<CancelReport> {
    const open = await this.orders.resting();
    const report: CancelReport = { cancelled: [], not_cancelled: [] };
    for (let first = 0; first < open.length; first += BATCH) {
      await this.#batch(open.slice(first, first + BATCH), report);
    }
    return report;
  }

  /** A batch that fails as a whole fails the call only if nothing has been settled before. */
  async #batch(orders: readonly WirePlace[], report: CancelReport): Promise<void> {
    const body = { orders: orders.map((order) => ({ order_id: order.order_id, market_ticker: order.ticker })) };
    const path = '/portfolio/events/orders/batched';
    try {
      const answer = await this.client.delete(path, { body: JSON.stringify(body) }, wireCancelledBatch);
      const outcomes = new Map(answer.body.orders.map((outcome) => [outcome.order_id, outcome]));
      for (const { order_id: id } of orders) note(report, id, outcomes.get(id));
    } catch (error) {
      const isFirst = report.cancelled.length + report.not_cancelled.length === 0;
      if (isFirst || !(error instanceof AppError)) throw error;
      report.not_cancelled.push(...orders.map(({ order_id: id }) => ({ id, reason: error.code })));
    }
  }

  /** Left out where the order cannot be read in time: no cancel fails for that; the exchange looks on its first shard. */
  #marketOf(orderId: string): Promise<string | undefined> {
    return readOptional(this.orders.marketOf(orderId, optionalReadLimit()), undefined);
  }
}

/** An order that the answer does not mention may or may not be cancelled. */
function note(report: CancelReport, id: string, outcome: WireCancelOutcome | undefined): void {
  if (outcome && !outcome.error) report.cancelled.push(id);
  else report.not_cancelled.push({ id, reason: scrubCode(outcome?.error?.code ?? null) ?? 'unknown' });
}

import { pathOf } from '../../../platform/upstream/path.js';
import { cancelInBatches, type CancelReport, type ReasonOf } from '../../cancel-batches.js';
import { optionalReadLimit, readOptional } from '../../optional-read.js';
import type { CancelledOrderDto } from '../../unified.trading.dto.js';
import type { NotCancelledReason } from '../../unified.words.js';
import type { SignedKalshiClient } from '../connection/client.js';
import { KALSHI } from '../kalshi.ids.js';
import { type WireCancelOutcome, type WirePlace, wireCancelled, wireCancelledBatch } from './order.wire.js';
import type { KalshiOrders } from './orders.js';

/** The most cancels that fit the smallest write budget at once (kalshi.md 6). */
const BATCH = 20;

/** Codes of an order's error that prove no refusal of its cancel: the exchange has trouble of its own, or does not take calls. */
const NO_REFUSAL = /unavailable|internal|timeout|paused/;
const RATE_LIMITED = /rate_limit|too_many/;

/** Takes orders out of the book. A cancel is sent once; the exchange finds the order's shard by its market. */
export class KalshiCancels {
  constructor(
    private readonly client: SignedKalshiClient,
    private readonly orders: KalshiOrders,
  ) {}

  async one(orderId: string): Promise<CancelledOrderDto> {
    const query = { market_ticker: await this.#marketOf(orderId) };
    const path = pathOf`/portfolio/events/orders/${orderId}`;
    const { value, at } = await this.client.cancel(path, { query }, wireCancelled);
    return {
      exchange: KALSHI,
      id: value.order_id,
      status: 'cancelled',
      cancelled_size: value.reduced_by,
      timestamp: new Date(value.ts_ms ?? at).toISOString(),
    };
  }

  /** All orders that are open now, in batches: never the exchange's own cancel-all, which may hit later orders too. */
  async all(): Promise<CancelReport> {
    return cancelInBatches(await this.orders.resting(), BATCH, (batch) => this.#batch(batch));
  }

  async #batch(places: readonly WirePlace[]): Promise<ReasonOf<WirePlace>> {
    const orders = places.map(({ id, ticker }) => ({ order_id: id, market_ticker: ticker }));
    const path = '/portfolio/events/orders/batched';
    const { value } = await this.client.cancel(path, { body: JSON.stringify({ orders }) }, wireCancelledBatch);
    const outcomes = new Map(value.orders.map((outcome) => [outcome.order_id, outcome]));
    return ({ id }) => reasonOf(outcomes.get(id));
  }

  /** Left out where the order cannot be read in time: no cancel fails for that; the exchange looks on its first shard. */
  #marketOf(orderId: string): Promise<string | undefined> {
    return readOptional(this.orders.marketOf(orderId, optionalReadLimit()), undefined);
  }
}

/** An order that the answer does not mention may or may not be cancelled. */
function reasonOf(outcome: WireCancelOutcome | undefined): NotCancelledReason | null {
  if (outcome === undefined) return 'unknown';
  return outcome.error ? reasonOfCode(outcome.error.code) : null;
}

function reasonOfCode(code: string | null): NotCancelledReason {
  if (code === 'not_found') return code;
  if (code === null || NO_REFUSAL.test(code)) return 'unknown';
  return RATE_LIMITED.test(code) ? 'exchange_rate_limited' : 'not_cancellable';
}

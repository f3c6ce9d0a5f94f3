import { AppError } from '../../../platform/errors/app-error.js';
import type { CancelledOrderDto } from '../../unified.trading.dto.js';
import { POLYMARKET } from '../polymarket.ids.js';
import type { SignedPolymarketClient } from '../connection/client.js';
import { wireCancelled } from './order.wire.js';
import type { PolymarketOrders } from './orders.js';

interface CancelledAll {
  cancelled: string[];
  not_cancelled: { id: string; reason: string }[];
}

/** As many as the exchange takes in one call. */
const BATCH = 1_000;

/** Texts by which a failed cancel says that there is no such open order (unified.md 7). */
const NOT_FOUND = /can't be found|not found|does not exist|unknown order/i;

function reasonOf(text: string): string {
  return NOT_FOUND.test(text) ? 'not_found' : 'not_cancellable';
}

/** Takes orders out of the book. A cancel that failed is a 200 with the reason in it (polymarket.md 7). */
export class PolymarketCancels {
  constructor(
    private readonly client: SignedPolymarketClient,
    private readonly orders: PolymarketOrders,
  ) {}

  /** Throws `not_found`, or `exchange_rejected` with reason `not_cancellable`. */
  async one(orderId: string): Promise<CancelledOrderDto> {
    const { value: answer } = await this.client.cancel('/order', JSON.stringify({ orderID: orderId }), wireCancelled);
    const id = orderId.toLowerCase();
    if (answer.canceled.some((done) => done.toLowerCase() === id)) {
      const timestamp = this.client.now().toISOString();
      return { exchange: POLYMARKET, id: orderId, status: 'cancelled', cancelled_size: null, timestamp };
    }
    const [, text] = Object.entries(answer.not_canceled).find(([failed]) => failed.toLowerCase() === id) ?? [];
    if (text === undefined) throw this.client.unusable();
    throw this.client.refused(reasonOf(text) === 'not_found' ? 'not_found' : 'not_cancellable', { code: null, text });
  }

  /** What is not in an answer is not known to be cancelled. Throws only where the first call already fails. */
  async all(): Promise<CancelledAll> {
    const orderIds = await this.orders.allOpenIds();
    const result: CancelledAll = { cancelled: [], not_cancelled: [] };
    for (let start = 0; start < orderIds.length; start += BATCH) {
      const batch = orderIds.slice(start, start + BATCH);
      try {
        const { value: answer } = await this.client.cancel('/orders', JSON.stringify(batch), wireCancelled);
        settle(batch, answer, result);
      } catch (error) {
        if (start === 0 || !(error instanceof AppError)) throw error;
        // Orders of earlier batches are out: that must be told, so this batch becomes part of the answer.
        result.not_cancelled.push(...batch.map((id) => ({ id, reason: 'unknown' })));
      }
    }
    return result;
  }
}

function settle(
  batch: readonly string[],
  answer: { canceled: readonly string[]; not_canceled: Readonly<Record<string, string>> },
  result: CancelledAll,
): void {
  const done = new Set(answer.canceled.map((id) => id.toLowerCase()));
  const failed = new Map(Object.entries(answer.not_canceled).map(([id, text]) => [id.toLowerCase(), text]));
  for (const id of batch) {
    const text = failed.get(id.toLowerCase());
    if (done.has(id.toLowerCase())) result.cancelled.push(id);
    else result.not_cancelled.push({ id, reason: text === undefined ? 'unknown' : reasonOf(text) });
  }
}

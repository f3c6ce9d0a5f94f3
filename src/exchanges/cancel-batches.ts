import { AppError } from '../platform/errors/app-error.js';
import type { NotCancelledReason } from './unified.words.js';

/** What became of each order that was to be cancelled. */
export interface CancelReport {
  readonly cancelled: string[];
  readonly not_cancelled: { id: string; reason: NotCancelledReason }[];
}

/** Returns why an order of the batch is not cancelled, null where it is. */
export type ReasonOf<Order> = (order: Order) => NotCancelledReason | null;

/**
 * Cancels orders batch by batch with `cancel`, which sends one batch once. Throws only where the first batch fails: once
 * orders are out of the book, a batch that fails becomes a part of the report.
 */
export async function cancelInBatches<Order extends { readonly id: string }>(
  orders: readonly Order[],
  size: number,
  cancel: (batch: readonly Order[]) => Promise<ReasonOf<Order>>,
): Promise<CancelReport> {
  const report: CancelReport = { cancelled: [], not_cancelled: [] };
  for (let start = 0; start < orders.length; start += size) {
    const batch = orders.slice(start, start + size);
    const reasonOf = await cancel(batch).catch((error: unknown) => {
      if (start === 0 || !(error instanceof AppError)) throw error;
      return () => reasonOfFailure(error);
    });
    for (const order of batch) {
      const reason = reasonOf(order);
      if (reason === null) report.cancelled.push(order.id);
      else report.not_cancelled.push({ id: order.id, reason });
    }
  }
  return report;
}

/** Of batches that fail only one refused with 429 has a word of its own: the exchange did nothing. */
function reasonOfFailure({ code }: AppError): NotCancelledReason {
  return code === 'exchange_rate_limited' ? code : 'unknown';
}

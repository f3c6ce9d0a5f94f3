import { AppError } from '../platform/errors/app-error.js';
import type { NotCancelledReason } from './unified.words.js';

/** What became of each order that was to be cancelled. */
export interface CancelReport {
  readonly cancelled: string[];
  readonly not_cancelled: { id: string; reason: NotCancelledReason }[];
  /** Set where there may be open orders that the report does not name: the answer, once it is noted what was cancelled. */
  readonly failure?: AppError;
}

/** Returns why an order of the batch is not cancelled, null where it is. */
export type ReasonOf<Order> = (order: Order) => NotCancelledReason | null;

/** Orders that one call cancels; `cancel` sends it once. */
export interface CancelBatch {
  readonly ids: readonly string[];
  /** Returns why an order is not cancelled, by its id. */
  cancel(): Promise<(id: string) => NotCancelledReason | null>;
}

/** Returns the orders in batches that `cancel` cancels. */
export function batchesOf<Order extends { readonly id: string }>(
  orders: readonly Order[],
  size: number,
  cancel: (batch: readonly Order[]) => Promise<ReasonOf<Order>>,
): CancelBatch[] {
  const starts = Array.from({ length: Math.ceil(orders.length / size) }, (_, index) => index * size);
  return starts.map((start) => {
    const batch = new Map(orders.slice(start, start + size).map((order) => [order.id, order]));
    return {
      ids: [...batch.keys()],
      cancel: async () => {
        const reasonOf = await cancel([...batch.values()]);
        return (id) => {
          const order = batch.get(id);
          return order === undefined ? 'unknown' : reasonOf(order);
        };
      },
    };
  });
}

/**
 * Cancels orders batch by batch. Throws only where the first batch fails: once orders are out of the book, a batch that fails
 * becomes a part of the report.
 */
export async function cancelBatches(batches: readonly CancelBatch[]): Promise<CancelReport> {
  const report: CancelReport = { cancelled: [], not_cancelled: [] };
  for (const [index, batch] of batches.entries()) {
    const reasonOf = await batch.cancel().catch((error: unknown) => {
      if (index === 0 || !(error instanceof AppError)) throw error;
      return () => reasonOfFailure(error);
    });
    for (const id of batch.ids) {
      const reason = reasonOf(id);
      if (reason === null) report.cancelled.push(id);
      else report.not_cancelled.push({ id, reason });
    }
  }
  return report;
}

/** As `cancelBatches`, of all orders in batches of a size. */
export function cancelInBatches<Order extends { readonly id: string }>(
  orders: readonly Order[],
  size: number,
  cancel: (batch: readonly Order[]) => Promise<ReasonOf<Order>>,
): Promise<CancelReport> {
  return cancelBatches(batchesOf(orders, size, cancel));
}

/** Of batches that fail only one refused with 429 has a word of its own: the exchange did nothing. */
function reasonOfFailure({ code }: AppError): NotCancelledReason {
  return code === 'exchange_rate_limited' ? code : 'unknown';
}

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

/** Cancels orders by a call that is sent once. */
export type CancelBatch<Order> = (batch: readonly Order[]) => Promise<ReasonOf<Order>>;

/** Cancels orders in batches, and keeps what became of them. */
export class CancelTally<Order extends { readonly id: string }> {
  readonly report: CancelReport = { cancelled: [], not_cancelled: [] };
  /** Whether the exchange has answered a batch. */
  isAnswered = false;

  constructor(
    private readonly size: number,
    private readonly send: CancelBatch<Order>,
  ) {}

  /**
   * Cancels orders, each of which is in the report afterwards. Returns the error of a batch that failed before any was answered:
   * then no other is sent. Once one was, a batch that fails is a part of the report.
   */
  async cancel(orders: readonly Order[]): Promise<AppError | null> {
    for (let start = 0; start < orders.length; start += this.size) {
      const refusal = await this.#cancelBatch(orders.slice(start, start + this.size));
      if (refusal === null) continue;
      this.#note(orders.slice(start + this.size), () => reasonOfFailure(refusal));
      return refusal;
    }
    return null;
  }

  /** Notes an order of which nothing is known. */
  noteUnknown(id: string): void {
    this.report.not_cancelled.push({ id, reason: 'unknown' });
  }

  async #cancelBatch(batch: readonly Order[]): Promise<AppError | null> {
    try {
      this.#note(batch, await this.send(batch));
      this.isAnswered = true;
      return null;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      this.#note(batch, () => reasonOfFailure(error));
      return this.isAnswered ? null : error;
    }
  }

  #note(batch: readonly Order[], reasonOf: ReasonOf<Order>): void {
    for (const order of batch) {
      const reason = reasonOf(order);
      if (reason === null) this.report.cancelled.push(order.id);
      else this.report.not_cancelled.push({ id: order.id, reason });
    }
  }
}

/** Of batches that fail only one refused with 429 has a word of its own: the exchange did nothing. */
function reasonOfFailure({ code }: AppError): NotCancelledReason {
  return code === 'exchange_rate_limited' ? code : 'unknown';
}

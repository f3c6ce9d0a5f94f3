import { Injectable } from '@nestjs/common';
import type { FoundOrder, PreparedOrder } from '../exchanges/exchange.js';
import { OrderSearch } from '../exchanges/order-search.js';
import { Settings } from '../platform/config/settings.js';
import { AppError } from '../platform/errors/app-error.js';
import { outlivingClient, withReadLimit } from '../platform/upstream/call-context.js';
import { type Claim, IdempotencyRepository } from './idempotency.repository.js';
import { inProgress, isInProgress, outcomeUnknown } from './order-outcomes.js';

/** After this long beyond `UPSTREAM_TIMEOUT` without a sign of life a call was cut off (DESIGN 5). */
const CUT_OFF_SLACK_MS = 5_000;

/** A call that creates an order. */
export interface SearchingCall {
  /**
   * Until when it may read before it sends, by `performance.now()`. After the sending it may read until `UPSTREAM_TIMEOUT`
   * later, so that the whole call takes at most twice that time, beside the database.
   */
  readonly readsUntil: number;
  /** Under an `Idempotency-Key`: what says that this call still has the order in hand. */
  readonly claim?: Claim;
}

/** Looks up orders that may exist. Each look-up ends in time, and stops where another call has taken over. */
@Injectable()
export class OrderSearches {
  readonly #upstreamMs: number;

  constructor(
    private readonly records: IdempotencyRepository,
    settings: Settings,
  ) {
    this.#upstreamMs = settings.upstreamTimeoutMs;
  }

  /** How long a call may be busy without a sign of life, in ms. */
  get busyMs(): number {
    return this.#upstreamMs + CUT_OFF_SLACK_MS;
  }

  begin(): SearchingCall {
    return { readsUntil: performance.now() + this.#upstreamMs };
  }

  /** Runs reads of a call that has sent nothing yet. */
  inTime<T>({ readsUntil }: SearchingCall, reads: () => Promise<T>): Promise<T> {
    return withReadLimit(readsUntil - performance.now(), reads);
  }

  /** What the exchange shows of an order that was first sent so long ago, in ms. Ends with the client. */
  find(prepared: PreparedOrder, call: SearchingCall, firstSentMsAgo: number | null): Promise<FoundOrder | null> {
    const search = new OrderSearch(firstSentMsAgo, () => this.#beforeRead(call));
    return this.inTime(call, () => prepared.find(search));
  }

  /** As `find`, but also where the client has gone, since its order was sent. */
  findAfterSending(
    prepared: PreparedOrder,
    call: SearchingCall,
    firstSentMsAgo: number | null,
  ): Promise<FoundOrder | null> {
    const later = { ...call, readsUntil: call.readsUntil + this.#upstreamMs };
    return outlivingClient(() => this.find(prepared, later, firstSentMsAgo));
  }

  /**
   * The order, however old, for which the exchange calls this one a duplicate. Throws `order_outcome_unknown` where it does
   * not show; `refusal` is what the exchange said.
   */
  async findDuplicate(prepared: PreparedOrder, call: SearchingCall, refusal: AppError): Promise<FoundOrder> {
    const { reference } = prepared;
    const retryable = call.claim !== undefined || reference.isSafeToResend;
    const doubt = { reference: reference.details, cause: refusal, retryable };
    let found: FoundOrder | null;
    try {
      found = await this.findAfterSending(prepared, call, null);
    } catch (error) {
      if (!(error instanceof AppError) || isInProgress(error)) throw error;
      const message = 'The exchange has such an order, but it could not be looked up. Repeat the call.';
      throw outcomeUnknown({ ...doubt, message });
    }
    if (found !== null) return found;
    const message = 'The exchange has this order, but does not show it yet. Repeat the call.';
    throw outcomeUnknown({ ...doubt, message });
  }

  async #beforeRead({ claim }: SearchingCall): Promise<void> {
    if (claim !== undefined && !(await this.records.extend(claim, this.busyMs))) throw inProgress();
  }
}

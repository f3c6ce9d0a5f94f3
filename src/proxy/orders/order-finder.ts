import { Injectable } from '@nestjs/common';
import type { FoundOrder, PreparedOrder } from '../../exchanges/exchange.js';
import { OrderSearch } from '../../exchanges/order-search.js';
import { Settings } from '../../platform/config/settings.js';
import { AppError } from '../../platform/errors/app-error.js';
import { Tally } from '../../platform/metrics/tally.js';
import { withoutClientAbort, withReadLimit } from '../../platform/upstream/call-context.js';
import { type Claim, IdempotencyRepository } from './idempotency.repository.js';
import { hasCode, inProgress, outcomeUnknown } from './order-outcomes.js';

/** A call without a sign of life for this long beyond `UPSTREAM_TIMEOUT` was cut off (contract.md 5). */
export const CUT_OFF_SLACK_MS = 5_000;

/** The limits of a call that creates an order. */
export interface CreationLimits {
  /**
   * Until when it may read before it sends, by `performance.now()`. After the sending it may read until `UPSTREAM_TIMEOUT`
   * later, so that the whole call takes at most twice that time, beside the database.
   */
  readonly readsUntil: number;
  /** Under an `Idempotency-Key`: the right to send, which each look-up renews. */
  readonly claim?: Claim;
}

/** Looks up orders that may exist. Each look-up ends in time, and stops where another call has taken over. */
@Injectable()
export class OrderFinder {
  /** Look-ups by how they ended. */
  readonly lookUps = new Tally(['outcome']);
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

  begin(): CreationLimits {
    return { readsUntil: performance.now() + this.#upstreamMs };
  }

  /** Looks up an order that was first sent so long ago, in ms; null where it does not show. Ends with the client. */
  async find(prepared: PreparedOrder, call: CreationLimits, firstSentMsAgo: number | null): Promise<FoundOrder | null> {
    const search = new OrderSearch(firstSentMsAgo, () => this.#beforeRead(call));
    try {
      const found = await withReadLimit(call.readsUntil - performance.now(), () => prepared.find(search));
      this.lookUps.count(found === null ? 'absent' : 'found');
      return found;
    } catch (error) {
      this.lookUps.count(hasCode(error, 'idempotency_in_progress') ? 'taken_over' : 'failed');
      throw error;
    }
  }

  /** As `find`, but also where the client has gone, since its order was sent. */
  findAfterSending(
    prepared: PreparedOrder,
    call: CreationLimits,
    firstSentMsAgo: number | null,
  ): Promise<FoundOrder | null> {
    const later = { ...call, readsUntil: call.readsUntil + this.#upstreamMs };
    return withoutClientAbort(() => this.find(prepared, later, firstSentMsAgo));
  }

  /**
   * Looks up the order, however old, that the exchange calls this one a duplicate of. Throws `order_outcome_unknown` where
   * it does not show; `refusal` is the exchange's own.
   */
  async findDuplicate(prepared: PreparedOrder, call: CreationLimits, refusal: AppError): Promise<FoundOrder> {
    const { reference } = prepared;
    const retryable = call.claim !== undefined || reference.isSafeToResend;
    const unknown = { reference: reference.details, cause: refusal, retryable };
    let found: FoundOrder | null;
    try {
      found = await this.findAfterSending(prepared, call, null);
    } catch (error) {
      if (!(error instanceof AppError) || hasCode(error, 'idempotency_in_progress')) throw error;
      const message = 'The exchange has such an order, but it could not be looked up. Repeat the call.';
      throw outcomeUnknown({ ...unknown, message });
    }
    if (found !== null) return found;
    const message = 'The exchange has this order, but does not show it yet. Repeat the call.';
    throw outcomeUnknown({ ...unknown, message });
  }

  async #beforeRead({ claim }: CreationLimits): Promise<void> {
    if (claim !== undefined && !(await this.records.extend(claim, this.busyMs))) throw inProgress();
  }
}

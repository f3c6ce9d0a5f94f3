import { Injectable } from '@nestjs/common';
import type { FoundOrder, PreparedOrder } from '../../exchanges/exchange.js';
import { OrderSearch } from '../../exchanges/order-search.js';
import { Settings } from '../../platform/config/settings.js';
import { Tally } from '../../platform/metrics/tally.js';
import { withoutClientAbort, withReadLimit } from '../../platform/upstream/call-context.js';
import { type Claim, IdempotencyRepository } from './idempotency.repository.js';
import { hasCode, inProgress } from './order-outcomes.js';
import { CUT_OFF_SLACK_MS } from './sendings.js';

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

/** What is known of the order that is looked up. */
export interface Sought {
  /** How long ago it was first sent, in ms; null where everything is to be searched. */
  readonly firstSentMsAgo: number | null;
  /** As `SendingHistory.absentMs`. */
  readonly absentMs?: number | null;
  /** Whether this service has cancelled it. */
  readonly isCancelled?: boolean;
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

  /** Looks up an order; null where it does not show. Ends with the client. */
  async find(prepared: PreparedOrder, call: CreationLimits, sought: Sought): Promise<FoundOrder | null> {
    const search = new OrderSearch(sought.firstSentMsAgo, () => this.#beforeRead(call), sought);
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
  findAfterSending(prepared: PreparedOrder, call: CreationLimits, sought: Sought): Promise<FoundOrder | null> {
    const later = { ...call, readsUntil: call.readsUntil + this.#upstreamMs };
    return withoutClientAbort(() => this.find(prepared, later, sought));
  }

  async #beforeRead({ claim }: CreationLimits): Promise<void> {
    if (claim !== undefined && !(await this.records.extend(claim, this.busyMs))) throw inProgress();
  }
}

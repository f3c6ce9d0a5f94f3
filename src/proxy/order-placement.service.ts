import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { FoundOrder, OrderReference, PreparedOrder, Trading } from '../exchanges/exchange.js';
import { Settings } from '../platform/config/settings.js';
import { randomOrderId } from '../platform/secrets/random.js';
import { AppError } from '../platform/errors/app-error.js';
import { outlivingClient } from '../platform/upstream/call-context.js';
import { deriveClientOrderId } from './client-order-id.js';
import {
  type Attempt,
  type Claim,
  IdempotencyRepository,
  type IdempotencyScope,
  type Sendings,
} from './idempotency.repository.js';
import {
  answerOf,
  asUnknown,
  inProgress,
  isDuplicate,
  isInProgress,
  isKept,
  isRefusal,
  outcomeUnknown,
  type Placement,
  takenByAnother,
} from './order-outcomes.js';
import { OrderRecords } from './order-records.js';
import { OrderSearches, type SearchingCall } from './order-searches.js';
import { fingerprintOf } from './request-fingerprint.js';

/** So long beyond `UPSTREAM_TIMEOUT` an order may arrive, or an exchange's lists may lag, after it was sent. */
const PROVING_SLACK_MS = 30_000;
/** An order is not sent where so much time, in ms, has passed since the record began to say that it is. */
const HELD_UP_MS = 5_000;

type Details = OrderReference['details'];

/** By what an order that was sent can be found; null where nothing was sent yet. */
const KEPT_REFERENCE: z.ZodType<Details | null> = z
  .union([z.object({ client_order_id: z.string() }), z.object({ order_id: z.string() })])
  .nullable();

/** An order as it was asked for, and the signed calls that it is made by. */
export interface OrderCall {
  /** A validated instance of the exchange's `OrderRequest`. */
  readonly request: object;
  readonly trading: Trading;
}

/** An order under a key that one call has in hand. */
interface Held extends OrderCall, SearchingCall {
  readonly claim: Claim;
}

/** An order that was sent before and may exist. */
interface Earlier extends Sendings {
  readonly reference: Details;
}

function isSame(one: Details, other: Details): boolean {
  return JSON.stringify(KEPT_REFERENCE.parse(one)) === JSON.stringify(KEPT_REFERENCE.parse(other));
}

/** Whether a sending that ended so has made no order, or none that it did not have before. */
function madeNone(error: unknown): error is AppError {
  return error instanceof AppError && error.code !== 'order_outcome_unknown';
}

/** Whether what was found is the order: nobody else can have used a name of ours, so a difference is the owner's later change. */
function isTheOrder({ isAsAsked }: FoundOrder, { reference }: PreparedOrder): boolean {
  return isAsAsked || reference.isOurs;
}

/**
 * Sends an order at most once. Under an `Idempotency-Key` it is recorded first, then sent; a repeat replays the answer, or
 * looks the order up where its fate is unknown, and only if the exchange does not show it sends the same order again under
 * the same id, which the exchange takes once. While an earlier sending may have made the order, no refusal is final
 * (DESIGN 5, R-13, R-14, R-25, R-26; docs/order-lifecycle.md).
 */
@Injectable()
export class OrderPlacementService {
  readonly #provingMs: number;

  constructor(
    private readonly records: IdempotencyRepository,
    private readonly outcomes: OrderRecords,
    private readonly searches: OrderSearches,
    settings: Settings,
  ) {
    this.#provingMs = settings.upstreamTimeoutMs + PROVING_SLACK_MS;
  }

  /** Without a key: sent once. What the exchange calls a duplicate is answered as the order that it has. */
  async placeOnce({ request, trading }: OrderCall): Promise<Placement> {
    const call = this.searches.begin();
    const prepared = await trading.prepareOrder(request, randomOrderId());
    try {
      return { order: await outlivingClient(() => prepared.place()), origin: 'made' };
    } catch (error) {
      const { details, isSafeToResend } = prepared.reference;
      if (!(error instanceof AppError)) throw asUnknown(error, details, isSafeToResend);
      if (!isDuplicate(error)) throw error;
      const found = await this.searches.findDuplicate(prepared, call, error);
      if (!isTheOrder(found, prepared)) throw error;
      return { order: found.order, origin: 'duplicate' };
    }
  }

  /** Under a key: sent once over all repeats. */
  async place(scope: IdempotencyScope, { request, trading }: OrderCall): Promise<Placement> {
    const { readsUntil } = this.searches.begin();
    const fingerprint = fingerprintOf(request);
    const attempt = { account: trading.accountDigest(), busyMs: this.searches.busyMs };
    const claim = await this.records.begin(scope, fingerprint, attempt);
    if (claim !== null) return this.#sendFirst({ request, trading, claim, readsUntil });
    return this.#repeat(scope, { request, trading, readsUntil, fingerprint, attempt });
  }

  async #repeat(
    scope: IdempotencyScope,
    call: Omit<Held, 'claim'> & { readonly fingerprint: Buffer; readonly attempt: Attempt },
  ): Promise<Placement> {
    const known = await this.records.find(scope);
    if (known === null) throw inProgress();
    if (!known.fingerprint.equals(call.fingerprint)) {
      throw new AppError('idempotency_key_reused', 'This Idempotency-Key was used for another order. Use a new one.');
    }
    if (known.state === 'done') return answerOf(known.answer);
    const taken = known.busy ? null : await this.records.takeOver(scope, known, call.attempt);
    if (taken === null) throw inProgress();
    const held: Held = { ...call, claim: taken.claim };
    const reference = KEPT_REFERENCE.parse(taken.sendings.reference);
    // A call that was cut off without a reference had sent nothing.
    if (reference === null) return this.#sendFirst(held);
    return this.#sendAgain(held, { ...taken.sendings, reference }, call.attempt.account);
  }

  /** Nothing was sent before: what the exchange proves now is final. */
  async #sendFirst(held: Held): Promise<Placement> {
    const prepared = await this.#prepareFirst(held);
    await this.#startSending(held.claim, prepared.reference.details);
    try {
      return await this.#made(held, prepared);
    } catch (error) {
      if (!madeNone(error)) throw await this.#unknown(held, asUnknown(error, prepared.reference.details));
      if (isDuplicate(error)) return this.#settleDuplicate(held, prepared, { refusal: error, origin: 'duplicate' });
      throw await this.outcomes.conclude(held.claim, error);
    }
  }

  /** The order may exist: it is looked up, and sent again under the same id where it does not show. */
  async #sendAgain(held: Held, earlier: Earlier, account: Buffer): Promise<Placement> {
    const { reference } = earlier;
    if (earlier.account !== null && !earlier.account.equals(account)) {
      const message =
        'Other exchange credentials are stored than those that sent this order. Store those again and repeat the call.';
      throw await this.#unknown(held, outcomeUnknown({ message, reference, reason: 'credentials_changed' }));
    }
    const prepared = await this.#stillUnknown(held, earlier, () => this.#prepareAgain(held, reference));
    const found = await this.#stillUnknown(held, earlier, () =>
      this.searches.find(prepared, held, earlier.firstSentMsAgo),
    );
    if (found !== null) {
      if (!isTheOrder(found, prepared))
        throw await this.outcomes.conclude(held.claim, takenByAnother(held.claim.exchange));
      return this.#keepOrder(held, { order: found.order, origin: 'found' });
    }
    await this.#startSending(held.claim, prepared.reference.details);
    try {
      return await this.#made(held, prepared);
    } catch (error) {
      if (!madeNone(error)) throw await this.#unknown(held, asUnknown(error, reference));
      if (isDuplicate(error)) return this.#settleDuplicate(held, prepared, { refusal: error, origin: 'found' });
      return this.#notMadeAgain(held, { prepared, earlier, error });
    }
  }

  /**
   * This sending made no order, but an earlier one may have, and may even be why: found means that order. Else a
   * refusal is final only where the look-ups have stayed empty for long enough after the earlier ones. The record is never
   * forgotten here: the same key stays the same order.
   */
  async #notMadeAgain(
    held: Held,
    { prepared, earlier, error }: { prepared: PreparedOrder; earlier: Earlier; error: AppError },
  ): Promise<Placement> {
    if (isRefusal(error)) {
      const found = await this.#stillUnknown(held, earlier, () =>
        this.searches.findAfterSending(prepared, held, earlier.firstSentMsAgo),
      );
      if (found !== null && isTheOrder(found, prepared)) {
        return this.#keepOrder(held, { order: found.order, origin: 'found' });
      }
      if (earlier.refusalHolds && isKept(error)) throw await this.outcomes.conclude(held.claim, error);
    }
    await this.outcomes.markUnknown(held.claim, earlier.refusalHoldsAt);
    if (earlier.refusalHolds && isRefusal(error)) throw error;
    throw outcomeUnknown({
      message:
        'The exchange did not take the order now, but may have taken it before and not show it yet. Repeat the call.',
      reference: earlier.reference,
      cause: error,
    });
  }

  /** The exchange has an order of this id: this very one is the answer, another one makes the refusal final. */
  async #settleDuplicate(
    held: Held,
    prepared: PreparedOrder,
    { refusal, origin }: { refusal: AppError; origin: 'duplicate' | 'found' },
  ): Promise<Placement> {
    // From now on no other refusal can be its fate, however long it does not show.
    const exists = { reference: prepared.reference.details, refusalHoldsAt: 'infinity' };
    const found = await this.#stillUnknown(held, exists, () => this.searches.findDuplicate(prepared, held, refusal));
    if (!isTheOrder(found, prepared)) throw await this.outcomes.conclude(held.claim, refusal);
    return this.#keepOrder(held, { order: found.order, origin });
  }

  /** What fails here fails before a byte of the order is sent. */
  async #prepareFirst(held: Held): Promise<PreparedOrder> {
    try {
      return await this.searches.inTime(held, () => this.#prepare(held));
    } catch (error) {
      await this.outcomes.forget(held.claim);
      throw error;
    }
  }

  async #prepareAgain(held: Held, reference: Details): Promise<PreparedOrder> {
    const prepared = await this.searches.inTime(held, () => this.#prepare(held, reference.client_order_id));
    // Under another reference the exchange would take it as another order.
    if (isSame(prepared.reference.details, reference)) return prepared;
    throw new AppError('exchange_error', 'The order cannot be prepared as it was sent.');
  }

  #prepare({ request, trading, claim }: Held, sentAs = deriveClientOrderId(claim)): Promise<PreparedOrder> {
    return trading.prepareOrder(request, sentAs);
  }

  /** From here on the order may exist. A slow look-up must not send beside another call that has taken over meanwhile. */
  async #startSending(claim: Claim, reference: Details): Promise<void> {
    const times = { busyMs: this.searches.busyMs, provingMs: this.#provingMs };
    const [wall, running] = [Date.now(), performance.now()];
    if (!(await this.records.startSending(claim, reference, times))) throw inProgress();
    // A process that was frozen meanwhile must not send what others believe can arrive no more.
    if (Math.max(Date.now() - wall, performance.now() - running) < HELD_UP_MS) return;
    await this.outcomes.markUnknown(claim);
    throw outcomeUnknown({ message: 'The service was held up before it could send. Repeat the call.', reference });
  }

  async #made(held: Held, prepared: PreparedOrder): Promise<Placement> {
    const order = await outlivingClient(() => prepared.place());
    return this.#keepOrder(held, { order, origin: 'made' });
  }

  /**
   * A step towards an order that may exist: whatever fails in it, nothing is known of the order, except that another
   * call has taken over.
   */
  async #stillUnknown<T>(
    { claim }: Held,
    { reference, refusalHoldsAt }: Pick<Earlier, 'reference'> & Partial<Earlier>,
    step: () => Promise<T>,
  ): Promise<T> {
    try {
      return await step();
    } catch (error) {
      if (isInProgress(error)) throw error;
      await this.outcomes.markUnknown(claim, refusalHoldsAt);
      if (error instanceof AppError && error.code === 'order_outcome_unknown') throw error;
      const message = 'The order could not be looked up. It may exist: repeat the call.';
      throw new AppError('order_outcome_unknown', message, { retryable: true, cause: error, details: reference });
    }
  }

  async #keepOrder({ claim }: Held, placement: Placement): Promise<Placement> {
    await this.outcomes.keep(claim, { order: placement.order });
    return placement;
  }

  async #unknown({ claim }: Held, error: unknown): Promise<unknown> {
    await this.outcomes.markUnknown(claim);
    return error;
  }
}

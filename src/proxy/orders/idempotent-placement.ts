import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { FoundOrder, OrderReference, PreparedOrder, Trading } from '../../exchanges/exchange.js';
import { Settings } from '../../platform/config/settings.js';
import { AppError } from '../../platform/errors/app-error.js';
import { outlivingClient, withReadLimit } from '../../platform/upstream/call-context.js';
import { deriveClientOrderId, ownClientOrderId } from './client-order-id.js';
import {
  type Claim,
  IdempotencyRepository,
  type IdempotencyScope,
  type IdempotentOrder,
  type Sendings,
} from './idempotency.repository.js';
import {
  answerOf,
  asUnknown,
  inProgress,
  isDuplicate,
  isInProgress,
  isKept,
  isOutcomeUnknown,
  isRefusal,
  isTheOrder,
  outcomeUnknown,
  type Placement,
  takenByAnother,
} from './order-outcomes.js';
import { OutcomeRecorder } from './outcome-recorder.js';
import { OrderFinder, type SearchingCall } from './order-finder.js';
import { fingerprintOf } from './request-fingerprint.js';

/** So long beyond `UPSTREAM_TIMEOUT` an order may arrive, or an exchange's lists may lag, after it was sent. */
const PROVING_SLACK_MS = 30_000;
/** An order is not sent where so much time, in ms, has passed since the record began to say that it is. */
const HELD_UP_MS = 5_000;

/** By what an order that was sent can be found; null where nothing was sent yet. */
const KEPT_REFERENCE: z.ZodType<OrderReference | null> = z
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
  readonly reference: OrderReference;
}

/** What an order found at the exchange means: where it is from, or the refusal if it is another one. */
interface Known {
  readonly refusal: AppError;
  readonly origin: 'duplicate' | 'found';
}

/** A resend that made no order. */
interface NotMade {
  readonly prepared: PreparedOrder;
  readonly earlier: Earlier;
  readonly error: AppError;
}

function isSame(one: OrderReference, other: OrderReference): boolean {
  return JSON.stringify(KEPT_REFERENCE.parse(one)) === JSON.stringify(KEPT_REFERENCE.parse(other));
}

/** Whether a sending that ended so has made no order, or none that it did not have before. */
function madeNone(error: unknown): error is AppError {
  return error instanceof AppError && !isOutcomeUnknown(error);
}

/**
 * Sends an order under an `Idempotency-Key` once over all repeats. It is recorded first, then sent; a repeat replays the
 * answer, or looks the order up where its fate is unknown, and only if the exchange does not show it sends the same order
 * again under the same id, which the exchange takes once. While an earlier sending may have made the order, no refusal is
 * final (DESIGN 5, R-13, R-14, R-25, R-26; docs/order-lifecycle.md).
 */
@Injectable()
export class IdempotentPlacement {
  readonly #provingMs: number;

  constructor(
    private readonly records: IdempotencyRepository,
    private readonly outcomes: OutcomeRecorder,
    private readonly searches: OrderFinder,
    settings: Settings,
  ) {
    this.#provingMs = settings.upstreamTimeoutMs + PROVING_SLACK_MS;
  }

  /** Records and sends the order, or answers what is known of it. */
  async place(scope: IdempotencyScope, { request, trading }: OrderCall): Promise<Placement> {
    const { readsUntil } = this.searches.begin();
    const fingerprint = fingerprintOf(request);
    const attempt = { account: trading.accountDigest(), busyMs: this.searches.busyMs };
    const first = await this.records.begin(scope, fingerprint, attempt);
    if (first !== null) return this.#sendFirst({ request, trading, readsUntil, claim: first });
    const known = await this.#findSame(scope, fingerprint);
    if (known.state === 'done') return answerOf(known.answer);
    const taken = known.busy ? null : await this.records.takeOver(scope, known, attempt);
    if (taken === null) throw inProgress();
    const held = { request, trading, readsUntil, claim: taken.claim };
    const reference = KEPT_REFERENCE.parse(taken.sendings.reference);
    // A call that was cut off without a reference had sent nothing.
    if (reference === null) return this.#sendFirst(held);
    return this.#sendAgain(held, { ...taken.sendings, reference }, attempt.account);
  }

  /** The record of an earlier call for this very order; throws `idempotency_key_reused` where it is another's. */
  async #findSame(scope: IdempotencyScope, fingerprint: Buffer): Promise<IdempotentOrder> {
    const known = await this.records.find(scope);
    if (known === null) throw inProgress();
    if (known.fingerprint.equals(fingerprint)) return known;
    throw new AppError('idempotency_key_reused', 'This Idempotency-Key was used for another order. Use a new one.');
  }

  /** Nothing was sent before: what the exchange proves now is final. */
  async #sendFirst(held: Held): Promise<Placement> {
    const prepared = await this.#prepareFirst(held);
    await this.#startSending(held.claim, prepared.reference);
    try {
      return await this.#send(held, prepared);
    } catch (error) {
      if (!madeNone(error)) throw await this.outcomes.markUnknown(held.claim, asUnknown(error, prepared.reference));
      if (isDuplicate(error)) return this.#findDuplicate(held, prepared, { refusal: error, origin: 'duplicate' });
      throw await this.outcomes.conclude(held.claim, error);
    }
  }

  /** The order may exist: it is looked up, and sent again under the same id where it does not show. */
  async #sendAgain(held: Held, earlier: Earlier, account: Buffer): Promise<Placement> {
    const { reference } = earlier;
    if (earlier.account !== null && !earlier.account.equals(account)) {
      const message =
        'Other exchange credentials are stored than those that sent this order. Store those again and repeat the call.';
      const changed = outcomeUnknown({ message, reference, reason: 'credentials_changed' });
      throw await this.outcomes.markUnknown(held.claim, changed);
    }
    const { prepared, found } = await this.#lookUp(held, earlier);
    if (found !== null) {
      return this.#keepFound(held, found, { refusal: takenByAnother(held.claim.exchange), origin: 'found' });
    }
    await this.#startSending(held.claim, prepared.reference);
    try {
      return await this.#send(held, prepared);
    } catch (error) {
      if (!madeNone(error)) throw await this.outcomes.markUnknown(held.claim, asUnknown(error, reference));
      if (isDuplicate(error)) return this.#findDuplicate(held, prepared, { refusal: error, origin: 'found' });
      return this.#findEarlier(held, { prepared, earlier, error });
    }
  }

  /** What fails here fails before a byte of the order is sent. */
  async #prepareFirst(held: Held): Promise<PreparedOrder> {
    try {
      return await this.#prepare(held);
    } catch (error) {
      await this.outcomes.forget(held.claim);
      throw error;
    }
  }

  /** Prepares an order that may exist as it was sent, and looks it up. */
  async #lookUp(held: Held, earlier: Earlier): Promise<{ prepared: PreparedOrder; found: FoundOrder | null }> {
    try {
      const prepared = await this.#prepareAgain(held, earlier.reference);
      return { prepared, found: await this.searches.find(prepared, held, earlier.firstSentMsAgo) };
    } catch (error) {
      throw await this.#stillUnknown(held, earlier, error);
    }
  }

  async #prepareAgain(held: Held, reference: OrderReference): Promise<PreparedOrder> {
    const own = 'client_order_id' in reference ? reference.client_order_id : undefined;
    const prepared = await this.#prepare(held, own);
    // Under another reference the exchange would take it as another order.
    if (isSame(prepared.reference, reference)) return prepared;
    throw new AppError('exchange_error', 'The order cannot be prepared as it was sent.');
  }

  #prepare({ request, trading, claim, readsUntil }: Held, sentAs?: string): Promise<PreparedOrder> {
    const id = sentAs ?? ownClientOrderId(request) ?? deriveClientOrderId(claim);
    return withReadLimit(readsUntil - performance.now(), () => trading.prepareOrder(request, id));
  }

  /** From here on the order may exist. A slow look-up must not send beside another call that has taken over meanwhile. */
  async #startSending(claim: Claim, reference: OrderReference): Promise<void> {
    const times = { busyMs: this.searches.busyMs, provingMs: this.#provingMs };
    const [wall, running] = [Date.now(), performance.now()];
    if (!(await this.records.startSending(claim, reference, times))) throw inProgress();
    // A process that was frozen meanwhile must not send what others believe can arrive no more.
    if (Math.max(Date.now() - wall, performance.now() - running) < HELD_UP_MS) return;
    const message = 'The service was held up before it could send. Repeat the call.';
    throw await this.outcomes.markUnknown(claim, outcomeUnknown({ message, reference }));
  }

  /** Sends the order and records that it exists; throws what `place` throws. */
  async #send({ claim }: Held, prepared: PreparedOrder): Promise<Placement> {
    const order = await outlivingClient(() => prepared.place());
    return this.outcomes.keepOrder(claim, { order, origin: 'made' });
  }

  /** The exchange has an order of this id: this very one is the answer, another one makes the refusal final. */
  async #findDuplicate(held: Held, prepared: PreparedOrder, known: Known): Promise<Placement> {
    let found: FoundOrder;
    try {
      found = await this.searches.findDuplicate(prepared, held, known.refusal);
    } catch (error) {
      // From now on no other refusal can be its fate, however long it does not show.
      throw await this.#stillUnknown(held, { reference: prepared.reference, refusalHoldsAt: 'infinity' }, error);
    }
    return this.#keepFound(held, found, known);
  }

  /**
   * This sending made no order, but an earlier one may have, and may even be why: found means that order. Else a
   * refusal is final only where the look-ups have stayed empty for long enough after the earlier ones. The record is never
   * forgotten here: the same key stays the same order.
   */
  async #findEarlier(held: Held, { prepared, earlier, error }: NotMade): Promise<Placement> {
    if (isRefusal(error)) {
      const found = await this.#findAfterSending(held, prepared, earlier);
      if (found !== null && isTheOrder(found, held.request)) {
        return this.outcomes.keepOrder(held.claim, { order: found.order, origin: 'found' });
      }
      if (earlier.refusalHolds && isKept(error)) throw await this.outcomes.conclude(held.claim, error);
    }
    const { reference, refusalHolds, refusalHoldsAt } = earlier;
    const message =
      'The exchange did not take the order now, but may have taken it before and not show it yet. Repeat the call.';
    const told = refusalHolds && isRefusal(error) ? error : outcomeUnknown({ message, reference, cause: error });
    throw await this.outcomes.markUnknown(held.claim, told, refusalHoldsAt);
  }

  async #findAfterSending(held: Held, prepared: PreparedOrder, earlier: Earlier): Promise<FoundOrder | null> {
    try {
      return await this.searches.findAfterSending(prepared, held, earlier.firstSentMsAgo);
    } catch (error) {
      throw await this.#stillUnknown(held, earlier, error);
    }
  }

  async #keepFound({ claim, request }: Held, found: FoundOrder, { refusal, origin }: Known): Promise<Placement> {
    if (!isTheOrder(found, request)) throw await this.outcomes.conclude(claim, refusal);
    return this.outcomes.keepOrder(claim, { order: found.order, origin });
  }

  /**
   * A step towards an order that may exist has failed: nothing is known of the order, except that another call has
   * taken over.
   */
  async #stillUnknown(
    { claim }: Held,
    { reference, refusalHoldsAt }: Pick<Earlier, 'reference' | 'refusalHoldsAt'>,
    error: unknown,
  ): Promise<AppError> {
    if (isInProgress(error)) return error;
    const message = 'The order could not be looked up. It may exist: repeat the call.';
    const told = isOutcomeUnknown(error)
      ? error
      : new AppError('order_outcome_unknown', message, { retryable: true, cause: error, details: reference });
    return this.outcomes.markUnknown(claim, told, refusalHoldsAt);
  }
}

import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { ApiKeyPrincipal } from '../../access/principal.js';
import type { FoundOrder, OrderReference, PreparedOrder, Trading } from '../../exchanges/exchange.js';
import { Settings } from '../../platform/config/settings.js';
import type { StatementPart } from '../../platform/database/statement-part.js';
import { AppError } from '../../platform/errors/app-error.js';
import { randomOrderId } from '../../platform/secrets/random.js';
import { withoutClientAbort, withReadLimit } from '../../platform/upstream/call-context.js';
import { deriveClientOrderId } from './client-order-id.js';
import {
  type Claim,
  claimOf,
  IdempotencyRepository,
  type IdempotencyScope,
  type SendingHistory,
} from './idempotency.repository.js';
import {
  answerOf,
  asUnknown,
  hasCode,
  inProgress,
  isDuplicate,
  isKept,
  isRefusal,
  isTheOrder,
  keyReused,
  type Origin,
  outcomeUnknown,
  type Placement,
  takenByAnother,
} from './order-outcomes.js';
import { OutcomeRecorder } from './outcome-recorder.js';
import { OrderFinder, type CreationLimits } from './order-finder.js';
import { OrderJournal } from './order-journal.js';
import { fingerprintOf } from './request-fingerprint.js';

/**
 * How long beyond `UPSTREAM_TIMEOUT` an order may arrive, or an exchange's lists may lag, after it was sent. A margin of
 * our own: no exchange documents one, and a shorter one makes refusals of orders that live.
 */
export const REFUSAL_WAIT_SLACK_MS = 30_000;
/** An order is not sent where more time, in ms, has passed since its record began to say that it is. */
export const MAX_SEND_DELAY_MS = 5_000;

type Details = OrderReference['details'];

/** The reference of an order that was sent; null where nothing was sent yet. */
const KEPT_REFERENCE: z.ZodType<Details | null> = z
  .union([z.object({ client_order_id: z.string() }), z.object({ order_id: z.string() })])
  .nullable();

/** A checked order, and the signed calls that make it. */
export interface OrderCall {
  /** A validated instance of the exchange's `OrderRequest`. */
  readonly request: object;
  readonly trading: Trading;
}

/** A checked order under a key, of which the credentials are yet to be read. */
export interface KeyedOrder {
  readonly request: object;
  readonly caller: ApiKeyPrincipal;
  /** As `CredentialsService.tradingWith`. */
  readonly open: (
    part: StatementPart,
  ) => Promise<{ readonly row: object | null; readonly open: () => Promise<Trading> }>;
}

/** An order under a key, and the claim of the one call that may send it. */
interface Claimed extends OrderCall, CreationLimits {
  readonly caller: ApiKeyPrincipal;
  /** A digest of the exchange account that signs. */
  readonly account: Buffer;
  readonly claim: Claim;
}

/** An order that was sent before and may exist. */
interface Earlier extends SendingHistory {
  readonly reference: Details;
}

function isSame(one: Details, other: Details): boolean {
  return JSON.stringify(KEPT_REFERENCE.parse(one)) === JSON.stringify(KEPT_REFERENCE.parse(other));
}

/** Whether this error of a sending proves that the sending made no order; an earlier one may have made it. */
function madeNoOrder(error: unknown): error is AppError {
  return error instanceof AppError && !hasCode(error, 'order_outcome_unknown');
}

/**
 * Sends an order at most once. Under an `Idempotency-Key` it is recorded first, then sent; a repeat replays the answer, or
 * looks the order up where its fate is unknown, and only if the exchange does not show it sends the same order again under
 * the same id, which the exchange takes once. While an earlier sending may have made the order, no refusal is final
 * (contract.md 5, R-13, R-14, R-25, R-26; docs/order-lifecycle.md).
 */
@Injectable()
export class OrderPlacement {
  readonly #refusalWaitMs: number;

  constructor(
    private readonly records: IdempotencyRepository,
    private readonly recorder: OutcomeRecorder,
    private readonly finder: OrderFinder,
    private readonly journal: OrderJournal,
    settings: Settings,
  ) {
    this.#refusalWaitMs = settings.upstreamTimeoutMs + REFUSAL_WAIT_SLACK_MS;
  }

  /** Without a key: sends once. For a duplicate it returns the order that the exchange has. */
  async placeOnce({ request, trading }: OrderCall): Promise<Placement> {
    const limits = this.finder.begin();
    const prepared = await trading.prepareOrder(request, {
      clientOrderId: randomOrderId(),
      createdAt: new Date(),
      sentAs: null,
    });
    try {
      return { order: await withoutClientAbort(() => prepared.place()), origin: 'made' };
    } catch (error) {
      const { details, isSafeToResend } = prepared.reference;
      if (!(error instanceof AppError)) throw asUnknown(error, details, isSafeToResend);
      if (!isDuplicate(error)) throw error;
      const found = await this.finder.findDuplicate(prepared, limits, error);
      if (!isTheOrder(found, prepared)) throw error;
      return { order: found.order, origin: 'duplicate' };
    }
  }

  /** With a key: records and sends the order, or returns what an earlier call with the key made of it. */
  async place(scope: IdempotencyScope, { request, caller, open }: KeyedOrder): Promise<Placement> {
    const { readsUntil } = this.finder.begin();
    const fingerprint = fingerprintOf(request);
    const begun = await open(this.records.beginning(scope, fingerprint, this.finder.busyMs));
    const first = begun.row && claimOf(scope, begun.row);
    const { trading, account } = await this.#open(begun.open, request, first);
    const call = { request, caller, trading, account, readsUntil };
    if (first !== null) return this.#sendFirst({ ...call, claim: first });
    const known = await this.records.find(scope);
    if (known === null) throw inProgress();
    if (!known.fingerprint.equals(fingerprint)) throw keyReused();
    if (known.state === 'done') return answerOf(known.answer);
    const attempt = { account, busyMs: this.finder.busyMs };
    const taken = known.busy ? null : await this.records.takeOver(scope, known, attempt);
    if (taken === null) throw inProgress();
    const claimed = { ...call, claim: taken.claim };
    const reference = KEPT_REFERENCE.parse(taken.sendings.reference);
    // A call that was cut off without a reference had sent nothing.
    if (reference === null) return this.#sendFirst(claimed);
    return this.#sendAgain(claimed, { ...taken.sendings, reference });
  }

  /** Opens the credentials, and frees the key where that fails: nothing has been sent then. */
  async #open(
    open: () => Promise<Trading>,
    request: object,
    claim: Claim | null,
  ): Promise<Pick<Claimed, 'trading' | 'account'>> {
    try {
      const trading = await open();
      return { trading, account: trading.accountDigest(request) };
    } catch (error) {
      throw claim === null ? error : await this.#freed(claim, error);
    }
  }

  /** Sends an order of which nothing was sent before: what the exchange proves now is final. */
  async #sendFirst(claimed: Claimed): Promise<Placement> {
    const prepared = await this.#prepareFirst(claimed);
    await this.#startSending(claimed, prepared.reference.details);
    try {
      return await this.#send(claimed, prepared);
    } catch (error) {
      if (!madeNoOrder(error))
        throw await this.recorder.recordUnknown(claimed.claim, asUnknown(error, prepared.reference.details));
      if (isDuplicate(error)) return this.#findDuplicate(claimed, prepared, error, 'duplicate');
      throw await this.recorder.recordNoOrder(claimed.claim, error);
    }
  }

  /** Looks up an order that may exist, and sends it again under the same id where it does not show. */
  async #sendAgain(claimed: Claimed, earlier: Earlier): Promise<Placement> {
    const { reference } = earlier;
    if (earlier.account !== null && !earlier.account.equals(claimed.account)) {
      const message =
        'Other exchange credentials are in use than those that sent this order. Store those again and repeat the call, or look ' +
        'the order up at the exchange before sending another.';
      const changed = outcomeUnknown({ message, reference, reason: 'credentials_changed' });
      throw await this.recorder.recordUnknown(claimed.claim, changed);
    }
    const { prepared, found } = await this.#lookUp(claimed, earlier);
    if (found !== null) {
      return this.#keepFound(claimed, { prepared, found }, takenByAnother(claimed.claim.exchange), 'found');
    }
    await this.#startSending(claimed, prepared.reference.details);
    try {
      return await this.#send(claimed, prepared);
    } catch (error) {
      if (!madeNoOrder(error)) throw await this.recorder.recordUnknown(claimed.claim, asUnknown(error, reference));
      if (isDuplicate(error)) return this.#findDuplicate(claimed, prepared, error, 'found');
      return this.#findEarlier(claimed, prepared, earlier, error);
    }
  }

  /** Frees the key where preparing fails: no byte of the order has been sent then. */
  async #prepareFirst(claimed: Claimed): Promise<PreparedOrder> {
    try {
      return await this.#prepare(claimed);
    } catch (error) {
      throw await this.#freed(claimed.claim, error);
    }
  }

  /** Frees the key; the error of a call that was taken over meanwhile would tell of an order that the other one may have sent. */
  async #freed(claim: Claim, error: unknown): Promise<unknown> {
    return (await this.recorder.forget(claim)) ? error : inProgress();
  }

  /** Prepares an order that may exist as it was sent, and looks it up. */
  async #lookUp(claimed: Claimed, earlier: Earlier): Promise<{ prepared: PreparedOrder; found: FoundOrder | null }> {
    try {
      const prepared = await this.#prepareAgain(claimed, earlier.reference);
      return { prepared, found: await this.finder.find(prepared, claimed, earlier.firstSentMsAgo) };
    } catch (error) {
      throw await this.#stillUnknown(claimed, earlier, error);
    }
  }

  async #prepareAgain(claimed: Claimed, reference: Details): Promise<PreparedOrder> {
    const prepared = await this.#prepare(claimed, reference);
    // Under another reference the exchange would take it as another order.
    if (isSame(prepared.reference.details, reference)) return prepared;
    throw new AppError('exchange_error', 'The order cannot be prepared as it was sent.');
  }

  #prepare({ request, trading, claim, readsUntil }: Claimed, sentAs: Details | null = null): Promise<PreparedOrder> {
    const clientOrderId = sentAs?.client_order_id ?? deriveClientOrderId(claim);
    const naming = { clientOrderId, createdAt: claim.createdAt, sentAs };
    return withReadLimit(readsUntil - performance.now(), () => trading.prepareOrder(request, naming));
  }

  /** From here on the order may exist. Throws `idempotency_in_progress` where another call has taken over meanwhile. */
  async #startSending({ claim, account }: Claimed, reference: Details): Promise<void> {
    const sending = { account, busyMs: this.finder.busyMs, refusalWaitMs: this.#refusalWaitMs };
    const [wall, running] = [Date.now(), performance.now()];
    if (!(await this.records.startSending(claim, reference, sending))) throw inProgress();
    // A process that was frozen meanwhile must not send what other calls take for lost.
    if (Math.max(Date.now() - wall, performance.now() - running) < MAX_SEND_DELAY_MS) return;
    const message = 'The service was held up before it could send. Repeat the call.';
    throw await this.recorder.recordUnknown(claim, outcomeUnknown({ message, reference }));
  }

  /** Sends the order and records that it exists; throws what `place` throws. */
  async #send(claimed: Claimed, prepared: PreparedOrder): Promise<Placement> {
    const order = await withoutClientAbort(() => prepared.place());
    return this.#recordOrder(claimed, { order, origin: 'made' });
  }

  /** Records an order that exists, and notes it once, whoever holds the claim by now: that call may never come to an end. */
  async #recordOrder({ claim, caller }: Claimed, placement: Placement): Promise<Placement> {
    const note = await this.journal.noteOf(caller, claim.exchange, placement);
    const isRecorded = await this.recorder.recordMade(claim, { order: placement.order }, note);
    if (!isRecorded && note !== null)
      await this.journal.notePlacement(caller, claim.exchange, { ...placement, origin: 'found' });
    return placement;
  }

  /** The exchange has an order of this id: the same order is the answer, another one makes the refusal final. */
  async #findDuplicate(
    claimed: Claimed,
    prepared: PreparedOrder,
    refusal: AppError,
    origin: Origin,
  ): Promise<Placement> {
    let found: FoundOrder;
    try {
      found = await this.finder.findDuplicate(prepared, claimed, refusal);
    } catch (error) {
      // The order exists: no later refusal may become final, however long the order does not show.
      throw await this.#stillUnknown(
        claimed,
        { reference: prepared.reference.details, refusalHoldsAt: 'infinity' },
        error,
      );
    }
    return this.#keepFound(claimed, { prepared, found }, refusal, origin);
  }

  /**
   * This sending made no order, but an earlier one may have, and may even be the reason: the order is looked up
   * again. Else a refusal is final only where the look-ups have stayed empty for long enough after the earlier sendings. The
   * record is never deleted here: the same key stays the same order.
   */
  async #findEarlier(claimed: Claimed, prepared: PreparedOrder, earlier: Earlier, error: AppError): Promise<Placement> {
    if (isRefusal(error)) {
      const found = await this.#findAfterSending(claimed, prepared, earlier);
      if (found !== null && isTheOrder(found, prepared)) {
        return this.#recordOrder(claimed, { order: found.order, origin: 'found' });
      }
      if (earlier.refusalHolds && isKept(error)) throw await this.recorder.recordNoOrder(claimed.claim, error);
    }
    const { reference, refusalHolds, refusalHoldsAt } = earlier;
    const message =
      'The exchange did not take the order now, but may have taken it before and not show it yet. Repeat the call.';
    const answer = refusalHolds && isRefusal(error) ? error : outcomeUnknown({ message, reference, cause: error });
    throw await this.recorder.recordUnknown(claimed.claim, answer, refusalHoldsAt);
  }

  async #findAfterSending(claimed: Claimed, prepared: PreparedOrder, earlier: Earlier): Promise<FoundOrder | null> {
    try {
      return await this.finder.findAfterSending(prepared, claimed, earlier.firstSentMsAgo);
    } catch (error) {
      throw await this.#stillUnknown(claimed, earlier, error);
    }
  }

  async #keepFound(
    claimed: Claimed,
    { prepared, found }: { readonly prepared: PreparedOrder; readonly found: FoundOrder },
    refusal: AppError,
    origin: Origin,
  ): Promise<Placement> {
    if (!isTheOrder(found, prepared)) throw await this.recorder.recordNoOrder(claimed.claim, refusal);
    return this.#recordOrder(claimed, { order: found.order, origin });
  }

  /**
   * Records that the order is still of unknown fate, since a step of its look-up has failed, and returns the error to
   * throw. Where another call has taken over, that call alone records.
   */
  async #stillUnknown(
    { claim }: Claimed,
    { reference, refusalHoldsAt }: Pick<Earlier, 'reference' | 'refusalHoldsAt'>,
    error: unknown,
  ): Promise<AppError> {
    if (hasCode(error, 'idempotency_in_progress')) return error;
    const message = 'The order could not be looked up. It may exist: repeat the call.';
    const answer = hasCode(error, 'order_outcome_unknown')
      ? error
      : new AppError('order_outcome_unknown', message, { retryable: true, cause: error, details: reference });
    return this.recorder.recordUnknown(claim, answer, refusalHoldsAt);
  }
}

import { Injectable } from '@nestjs/common';
import type { ApiKeyPrincipal } from '../../access/principal.js';
import type { PreparedOrder } from '../../exchanges/exchange.js';
import type { StatementPart } from '../../platform/database/statement-part.js';
import { AppError } from '../../platform/errors/app-error.js';
import { randomOrderId } from '../../platform/secrets/random.js';
import { withoutClientAbort } from '../../platform/upstream/call-context.js';
import { type Claim, claimOf, IdempotencyRepository, type IdempotencyScope } from './idempotency.repository.js';
import {
  asUnknown,
  hasCode,
  inProgress,
  isDuplicate,
  isTheOrder,
  keyReused,
  outcomeUnknown,
  type Placement,
  takenByAnother,
} from './order-outcomes.js';
import { OutcomeRecorder } from './outcome-recorder.js';
import { OrderFinder } from './order-finder.js';
import {
  type Claimed,
  type Earlier,
  type OrderCall,
  type OrderRights,
  OrderSettling,
  prepare,
  sentOrderOf,
} from './order-settling.js';
import { fingerprintOf } from './request-fingerprint.js';
import { type Sending, Sendings } from './sendings.js';

/** A checked order under a key, of which the credentials are yet to be read. */
export interface KeyedOrder {
  readonly request: object;
  readonly caller: ApiKeyPrincipal;
  /** As `CredentialsService.tradingWith`. */
  readonly open: (
    part: StatementPart,
  ) => Promise<{ readonly row: object | null; readonly open: () => Promise<OrderRights> }>;
}

/**
 * Sends an order at most once. Under an `Idempotency-Key` it is recorded first, then sent; a repeat replays the answer, or
 * looks the order up where its fate is unknown, and only if the exchange does not show it sends the same order again under
 * the same id, which the exchange takes once. Once a byte has left, the record and that id stay, whatever is answered. While an
 * earlier sending may have made the order, no refusal is final (contract.md 5, R-13, R-14, R-25, R-26; docs/order-lifecycle.md).
 */
@Injectable()
export class OrderPlacement {
  constructor(
    private readonly records: IdempotencyRepository,
    private readonly recorder: OutcomeRecorder,
    private readonly finder: OrderFinder,
    private readonly settling: OrderSettling,
    private readonly sendings: Sendings,
  ) {}

  /** Without a key: sends once. For a duplicate it returns the order that the exchange has. */
  async placeOnce({ request, trading, permit }: OrderCall): Promise<Placement> {
    const limits = this.finder.begin();
    const prepared = await trading.prepareOrder(request, {
      clientOrderId: randomOrderId(),
      createdAt: new Date(),
      sentAs: null,
    });
    const { details, isSafeToResend, isOurs } = prepared.reference;
    const sending = this.sendings.once(this.records, permit);
    try {
      return { order: await withoutClientAbort(() => prepared.place(sending.before)), origin: 'made' };
    } catch (error) {
      if (!sending.mayHaveLeft(error)) throw error;
      if (!(error instanceof AppError)) throw asUnknown(error, details, isSafeToResend);
      if (!isDuplicate(error)) throw error;
      const found = await this.settling.findDuplicate(prepared, limits, error);
      if (found instanceof AppError) throw found;
      if (!isTheOrder(found, prepared)) throw error;
      return { order: found.order, origin: isOurs ? 'found' : 'duplicate' };
    }
  }

  /** With a key: records and sends the order, or returns what an earlier call with the key made of it. */
  async place(scope: IdempotencyScope, { request, caller, open }: KeyedOrder): Promise<Placement> {
    const { readsUntil } = this.finder.begin();
    const fingerprint = fingerprintOf(request);
    const begun = await open(this.records.beginning(scope, fingerprint, this.finder.busyMs));
    const first = begun.row && claimOf(scope, begun.row);
    const call = { request, caller, readsUntil, ...(await this.#open(begun.open, request, first)) };
    if (first !== null) return this.#sendFirst({ ...call, claim: first });
    const known = await this.records.find(scope);
    if (known === null) throw inProgress();
    if (!known.fingerprint.equals(fingerprint)) throw keyReused();
    if (known.state === 'done') return this.settling.replay({ ...call, claim: { ...scope, ...known } }, known);
    const attempt = { account: call.account, busyMs: this.finder.busyMs };
    const taken = known.busy ? null : await this.records.takeOver(scope, known, attempt);
    if (taken === null) throw inProgress();
    const claimed = { ...call, claim: taken.claim };
    const reference = sentOrderOf(taken.sendings.reference);
    // A call that was cut off without a reference had sent nothing.
    if (reference === null) return this.#sendFirst(claimed);
    return this.#sendAgain(claimed, { ...taken.sendings, reference });
  }

  /** Opens the credentials, and frees the key where that fails: nothing has been sent then. */
  async #open(
    open: () => Promise<OrderRights>,
    request: object,
    claim: Claim | null,
  ): Promise<Pick<Claimed, 'trading' | 'permit' | 'account'>> {
    try {
      const rights = await open();
      return { ...rights, account: rights.trading.accountDigest(request) };
    } catch (error) {
      throw claim === null ? error : await this.#freed(claim, error);
    }
  }

  /** Sends an order of which nothing was sent before. */
  async #sendFirst(claimed: Claimed): Promise<Placement> {
    const prepared = await this.#prepareFirst(claimed);
    const { details } = prepared.reference;
    const sending = this.#begin(claimed, prepared);
    try {
      return await this.#send(claimed, prepared, sending);
    } catch (error) {
      const { claim } = claimed;
      if (hasCode(error, 'idempotency_in_progress')) throw error;
      if (hasCode(error, 'order_outcome_unknown'))
        throw await this.recorder.recordUnknown(claim, asUnknown(error, details));
      if (!sending.mayHaveLeft(error)) throw await this.#freed(claim, error);
      if (!(error instanceof AppError)) throw await this.recorder.recordUnknown(claim, asUnknown(error, details));
      if (isDuplicate(error)) return this.settling.settleDuplicate(claimed, prepared, null, error);
      throw await this.recorder.recordRefused(claim, error);
    }
  }

  /** Looks up an order that may exist, and sends it again under the same id where it does not show. */
  async #sendAgain(claimed: Claimed, earlier: Earlier): Promise<Placement> {
    const { claim } = claimed;
    if (earlier.account !== null && !earlier.account.equals(claimed.account))
      throw await this.#otherAccount(claim, earlier);
    const { prepared, found } = await this.settling.lookUp(claimed, earlier);
    if (found !== null)
      return this.settling.keepFound(claimed, { prepared, found, earlier }, takenByAnother(claim.exchange));
    const sending = this.#begin(claimed, prepared);
    try {
      return await this.#send(claimed, prepared, sending);
    } catch (error) {
      if (hasCode(error, 'idempotency_in_progress')) throw error;
      if (!(error instanceof AppError) || hasCode(error, 'order_outcome_unknown'))
        throw await this.settling.stillInDoubt(claimed, earlier, error, sending.mayHaveLeft(error));
      if (isDuplicate(error)) return this.settling.settleDuplicate(claimed, prepared, earlier, error);
      return this.settling.findEarlier(claimed, prepared, earlier, error);
    }
  }

  async #otherAccount(claim: Claim, { reference }: Earlier): Promise<AppError> {
    const message =
      'Other exchange credentials are in use than those that sent this order. Store those again and repeat the call, or look ' +
      'the order up at the exchange before sending another.';
    return this.recorder.recordUnknown(claim, outcomeUnknown({ message, reference, reason: 'credentials_changed' }));
  }

  /** Frees the key where preparing fails: no byte of the order has been sent then. */
  async #prepareFirst(claimed: Claimed): Promise<PreparedOrder> {
    try {
      return await prepare(claimed, null);
    } catch (error) {
      throw await this.#freed(claimed.claim, error);
    }
  }

  /** Frees the key; the error of a call that was taken over meanwhile would tell of an order that the other one may have sent. */
  async #freed(claim: Claim, error: unknown): Promise<unknown> {
    return (await this.recorder.forget(claim)) ? error : inProgress();
  }

  #begin({ claim, account, permit }: Claimed, { reference }: PreparedOrder): Sending {
    const { terms } = reference;
    const message = 'The service was held up before it could send. Repeat the call.';
    const heldUp = (): AppError => outcomeUnknown({ message, reference: reference.details });
    return this.sendings.keyed(
      { records: this.records, claim, account, reference: { ...reference.details, ...(terms && { terms }) }, heldUp },
      permit,
    );
  }

  /** Sends the order and records that it exists; throws what `place` throws. */
  async #send(claimed: Claimed, prepared: PreparedOrder, sending: Sending): Promise<Placement> {
    const order = await withoutClientAbort(() => prepared.place(sending.before));
    return this.settling.recordOrder(claimed, { order, origin: 'made' });
  }
}

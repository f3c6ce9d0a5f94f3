import { Injectable } from '@nestjs/common';
import { AppError } from '../../platform/errors/app-error.js';
import { randomUuid } from '../../platform/secrets/random.js';
import { withoutClientAbort } from '../../platform/upstream/call-context.js';
import { ALL_REFUSED, type Claim, type IdempotencyScope, type IdempotentOrder } from './placement.js';
import { DailyPlacements } from './daily-placements.js';
import { LookUps } from './look-ups.js';
import {
  asUnknown,
  hasCode,
  inProgress,
  isDuplicate,
  isUnknown,
  keyAbandoned,
  keyReused,
  outcomeUnknown,
  type Placement,
  takenByAnother,
  throwRefusal,
  withWayOut,
} from './outcomes.js';
import { withRoom } from './limits.js';
import { PlacementCounts } from './placement-counts.js';
import { fingerprintOf } from './request-fingerprint.js';
import { HELD_UP, type Sending, Sendings, unsent } from './sendings.js';
import {
  type Claimed,
  findDuplicate,
  findEarlier,
  findRefused,
  keep,
  orStillUnknown,
  refusalIn,
  settleDuplicate,
  stillInDoubt,
} from './settling.js';
import { type Earlier, type Prepared, senderOf, type Subject } from './subject.js';
import { UnkeyedPlacements } from './unkeyed.repository.js';

/** The path of the list that it shows in. */
function pathOf({ exchange, kind }: Pick<Subject<unknown>, 'exchange' | 'kind'>): string {
  return `/${exchange}/${kind}s`;
}

function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error('not an error', { cause: thrown });
}

/** Throws why it may not be sent. */
function assertAdmitted({ unadmitted }: Pick<Claimed<unknown>, 'unadmitted'>): void {
  if (unadmitted !== null) throw unadmitted;
}

/**
 * Sends an order or a transfer at most once. Under an `Idempotency-Key` it is recorded first, then sent; a repeat replays the answer, or
 * looks it up where its fate is unknown, and only if the exchange does not show it sends the same again under the same name, which the
 * exchange takes once. Once a byte has left, the record and that name stay, whatever is answered. While an earlier sending may have made
 * it, no refusal is final (contract.md 5, R-13, R-14, R-25, R-26, R-28; docs/order-lifecycle.md).
 */
@Injectable()
export class Placing {
  constructor(
    private readonly unkeyed: UnkeyedPlacements,
    private readonly sendings: Sendings,
    private readonly lookUps: LookUps,
    private readonly counts: PlacementCounts,
    private readonly days: DailyPlacements,
  ) {}

  /**
   * Places it, under a key once over all repeats, and notes it in the activity. Throws `…_outcome_unknown` where it may exist, with what
   * to do about that, else what is certain.
   */
  async place<Placed>(subject: Subject<Placed>, key?: string): Promise<Placement<Placed>> {
    const { kind, exchange } = subject;
    try {
      return await this.counts.count(kind, exchange, () =>
        key === undefined ? this.#once(subject) : this.#keyed(subject, { ...senderOf(subject), key }),
      );
    } catch (error) {
      if (!isUnknown(error)) throw error;
      await subject.noteUnknown(error.details);
      throw withWayOut(error, pathOf(subject), key !== undefined);
    }
  }

  /** Without a key: sends once. */
  async #once<Placed>(subject: Subject<Placed>): Promise<Placement<Placed>> {
    const readsUntil = this.lookUps.begin();
    const [admitted] = await Promise.allSettled([subject.admit(readsUntil)]);
    if (admitted.status === 'rejected') throw await this.#unadmitted(subject, admitted.reason);
    const rights = await subject.open();
    const allowance = await this.days.take(senderOf(subject));
    if (allowance === null) throw this.days.refusal(senderOf(subject));
    try {
      return await this.#unkeyed({ ...rights, subject, readsUntil, unadmitted: null });
    } finally {
      allowance.end();
    }
  }

  /** Keeps why nothing is sent of it, without a key. */
  async #unadmitted(subject: Subject<unknown>, cause: unknown): Promise<unknown> {
    const allowance = await this.days.take(senderOf(subject));
    if (allowance === null) return this.days.refusal(senderOf(subject));
    try {
      const row = await this.unkeyed.begin(senderOf(subject), fingerprintOf(subject.request), randomUuid());
      return await subject.recorder.recordUnsent(this.unkeyed, row, cause);
    } finally {
      allowance.end();
    }
  }

  /** Of a duplicate it returns what the exchange has. */
  async #unkeyed<Placed>(call: Omit<Claimed<Placed>, 'claim'>): Promise<Placement<Placed>> {
    const { subject, readsUntil, trading, permit, account } = call;
    const { kind, recorder } = subject;
    const nonce = randomUuid();
    const isTimed = subject.caller.bot?.orderSeconds != null;
    const row = await this.unkeyed.begin(senderOf(subject), fingerprintOf(subject.request), nonce, isTimed);
    const { claim } = row;
    const unsent = (error: unknown): Promise<unknown> => recorder.recordUnsent(this.unkeyed, row, error);
    const naming = { clientId: nonce, createdAt: claim.createdAt, sentAs: null };
    const prepared = await subject.prepare(trading, naming, readsUntil).catch(async (error: unknown) => {
      throw await unsent(error);
    });
    const { name, reference, asked, limitFacts } = prepared;
    const sent = { row, account, reference, asked, limitFacts, readsUntil };
    const sending = this.sendings.once({ records: this.unkeyed, ...sent }, permit);
    const claimed = { ...call, claim };
    try {
      return await this.#send(claimed, prepared, sending);
    } catch (error) {
      if (!sending.mayHaveLeft(error)) throw await unsent(error);
      if (isUnknown(error) || !(error instanceof AppError))
        throw await recorder.recordUnknown(claim, asUnknown(kind, error, name, prepared.isSafeToResend));
      if (isDuplicate(error)) return this.#onceMore(claimed, prepared, error);
      throw await this.#refused(claimed, error);
    }
  }

  /** Without a key: what the exchange calls this one a duplicate of. */
  async #onceMore<Placed>(
    claimed: Claimed<Placed>,
    prepared: Prepared<Placed>,
    refusal: AppError,
  ): Promise<Placement<Placed>> {
    const { subject, claim, readsUntil } = claimed;
    const found = await findDuplicate(
      subject,
      prepared,
      { earlier: null, row: claim, claim: null, readsUntil },
      refusal,
    );
    if (found.isAnother === true) throw await this.#refused(claimed, refusalIn(found, refusal));
    if (found.shown === null) throw await subject.recorder.recordUnknown(claim, found.unknown);
    return keep(claimed, prepared, found.shown);
  }

  /** Without a key nobody else can have taken over. */
  async #refused<Placed>({ subject, claim }: Claimed<Placed>, error: AppError): Promise<AppError> {
    await subject.recorder.recordRefused(claim, error);
    return error;
  }

  /** With a key: records and sends it, or returns what an earlier call with the key made of it. */
  async #keyed<Placed>(subject: Subject<Placed>, scope: IdempotencyScope): Promise<Placement<Placed>> {
    const { records } = subject;
    const readsUntil = this.lookUps.begin();
    const fingerprint = fingerprintOf(subject.request);
    const beginning = this.#row(() => records.begin(scope, fingerprint, this.sendings.busyMs), scope);
    const [begun, admitted, opened] = await Promise.allSettled([
      beginning,
      subject.admit(readsUntil),
      subject.open(),
    ] as const);
    if (begun.status === 'rejected') throw begun.reason;
    const first = begun.value === 'used_up' ? null : begun.value;
    const call = { subject, readsUntil, ...(await this.#rights(subject, first, [admitted, opened])) };
    if (first !== null) return this.#sendFirst({ ...call, claim: first });
    const readAt = performance.now();
    const known = await records.find(scope);
    if (known === null) throw begun.value === 'used_up' ? this.days.refusal(scope) : inProgress();
    if (known.isAbandoned) throw keyAbandoned();
    if (!known.fingerprint.equals(fingerprint)) throw keyReused();
    return this.#repeat(call, scope, { ...known, readAt });
  }

  /** The rights of a call under a key. What keeps a first call from them frees the key; a repeat may be looked up though it is not admitted. */
  async #rights<R extends object>(
    subject: Subject<unknown>,
    first: Claim | null,
    [admitted, opened]: readonly [PromiseSettledResult<void>, PromiseSettledResult<R>],
  ): Promise<R & Pick<Claimed<unknown>, 'unadmitted'>> {
    const unadmitted = admitted.status === 'rejected' ? errorOf(admitted.reason) : null;
    if (first !== null && unadmitted !== null) throw await this.#freed(subject, first, unadmitted);
    if (opened.status === 'fulfilled') return { ...opened.value, unadmitted };
    throw first === null ? opened.reason : await this.#freed(subject, first, opened.reason);
  }

  /** The row of a new order or transfer, unless its sender has none left today: what was begun before goes on. */
  async #row<Row>(begin: () => Promise<Row>, sender: IdempotencyScope): Promise<Row | 'used_up'> {
    const allowance = await this.days.take(sender);
    if (allowance === null) return 'used_up';
    try {
      return await begin();
    } finally {
      allowance.end();
    }
  }

  /** What an earlier call with the key came to, or, where that is not known, what becomes of it now. */
  async #repeat<Placed>(
    call: Omit<Claimed<Placed>, 'claim'>,
    scope: IdempotencyScope,
    known: IdempotentOrder & Earlier,
  ): Promise<Placement<Placed>> {
    const { subject, account } = call;
    if (known.state === 'done') return this.#replay({ ...call, claim: { ...scope, ...known } }, known);
    const attempt = { account, busyMs: this.sendings.busyMs };
    const taken = known.busy ? null : await subject.records.takeOver(scope, known, attempt);
    if (taken === null) throw inProgress();
    const claimed = { ...call, claim: taken.claim };
    // A call that was cut off without a reference had sent nothing.
    if (taken.sendings.reference === null) {
      if (call.unadmitted !== null) throw await this.#freed(subject, taken.claim, call.unadmitted);
      return this.#sendFirst(claimed);
    }
    return this.#sendAgain(claimed, { ...taken.sendings, readAt: known.readAt });
  }

  /** The kept answer. A refusal that no look-up has confirmed yet is looked at once more. */
  async #replay<Placed>(claimed: Claimed<Placed>, known: IdempotentOrder & Earlier): Promise<Placement<Placed>> {
    const { subject, account } = claimed;
    const placed = subject.placedIn(known.answer);
    if (placed !== null) return { placed, origin: 'replayed' };
    const isOfAccount = known.reference !== null && known.account?.equals(account) === true;
    if (!isOfAccount || known.refusalHoldsAt === ALL_REFUSED) return throwRefusal(known.answer);
    try {
      const found = await findRefused(claimed, await this.#prepare(claimed, known.reference), known);
      if (found !== null) return found;
    } catch (error) {
      // What cannot be looked up changes nothing.
      if (!(error instanceof AppError)) throw error;
    }
    return throwRefusal(known.answer);
  }

  /** Sends what nothing was sent of before. */
  async #sendFirst<Placed>(claimed: Claimed<Placed>): Promise<Placement<Placed>> {
    const { subject, claim } = claimed;
    const { kind, recorder } = subject;
    const prepared = await this.#prepareFirst(claimed);
    const { name } = prepared;
    const sending = this.#begin(claimed, prepared);
    try {
      return await this.#send(claimed, prepared, sending);
    } catch (error) {
      if (hasCode(error, 'idempotency_in_progress'))
        throw sending.mayHaveLeft(error) ? error : await this.#freed(subject, claim, unsent(HELD_UP));
      if (isUnknown(error)) throw await recorder.recordUnknown(claim, asUnknown(kind, error, name));
      if (!sending.mayHaveLeft(error)) throw await this.#freed(subject, claim, error);
      if (!(error instanceof AppError)) throw await recorder.recordUnknown(claim, asUnknown(kind, error, name));
      if (isDuplicate(error)) return settleDuplicate(claimed, prepared, null, error);
      throw await recorder.recordRefused(claim, error);
    }
  }

  /** Looks up what may exist, and sends it again under the same name where it does not show. */
  async #sendAgain<Placed>(claimed: Claimed<Placed>, earlier: Earlier): Promise<Placement<Placed>> {
    const { subject, claim, account } = claimed;
    if (earlier.account !== null && !earlier.account.equals(account)) throw await this.#otherAccount(claimed, earlier);
    const prepared = await orStillUnknown(claimed, earlier, () => this.#prepare(claimed, earlier.reference));
    const found = await orStillUnknown(claimed, earlier, () =>
      prepared.lookUp({ ...claimed, row: claim, when: 'before', earlier }),
    );
    if (found.isAnother === true)
      throw await subject.recorder.recordRefused(
        claim,
        refusalIn(found, takenByAnother(subject.kind, subject.exchange)),
        true,
      );
    if (found.shown !== null) return keep(claimed, prepared, found.shown);
    const again = { prepared, earlier, wasLookedUp: found.isWhole };
    const sending = this.#begin(claimed, prepared);
    try {
      assertAdmitted(claimed);
      return await this.#send(claimed, prepared, sending);
    } catch (error) {
      if (hasCode(error, 'idempotency_in_progress')) throw error;
      if (isUnknown(error) || !(error instanceof AppError))
        throw await stillInDoubt(claimed, again, error, sending.mayHaveLeft(error));
      if (isDuplicate(error)) return settleDuplicate(claimed, prepared, earlier, error);
      return findEarlier(claimed, again, error);
    }
  }

  async #otherAccount<Placed>({ subject, claim }: Claimed<Placed>, { reference }: Earlier): Promise<AppError> {
    const { kind, recorder } = subject;
    const message =
      `Other exchange credentials are in use than those that sent this ${kind}. Store those again and repeat the call, or look ` +
      `the ${kind} up at the exchange before sending another.`;
    const name = subject.nameIn(reference) ?? {};
    return recorder.recordUnknown(claim, outcomeUnknown(kind, { message, name, reason: 'credentials_changed' }));
  }

  /** As it was sent, where that was kept. */
  #prepare<Placed>(
    { subject, trading, claim, readsUntil }: Claimed<Placed>,
    sentAs: unknown,
  ): Promise<Prepared<Placed>> {
    const naming = { clientId: subject.clientIdOf(claim), createdAt: claim.createdAt, sentAs };
    return subject.prepare(trading, naming, readsUntil);
  }

  /** Frees the key where preparing fails: no byte has been sent then. */
  async #prepareFirst<Placed>(claimed: Claimed<Placed>): Promise<Prepared<Placed>> {
    try {
      return await this.#prepare(claimed, null);
    } catch (error) {
      throw await this.#freed(claimed.subject, claimed.claim, error);
    }
  }

  /** Frees the key. Hides the error where another call has taken over: the other call may have sent the order. */
  async #freed({ recorder }: Subject<unknown>, claim: Claim, error: unknown): Promise<unknown> {
    return (await recorder.forget(claim, error)) ? error : inProgress();
  }

  #begin<Placed>(
    { subject, claim, account, permit, readsUntil }: Claimed<Placed>,
    { name, reference, asked, limitFacts }: Prepared<Placed>,
  ): Sending {
    const heldUp = (): AppError => outcomeUnknown(subject.kind, { message: HELD_UP, name });
    const { records } = subject;
    return this.sendings.keyed({ records, claim, account, reference, asked, limitFacts, readsUntil, heldUp }, permit);
  }

  /** Sends it and records that it exists; throws what `place` throws. */
  async #send<Placed>(
    claimed: Claimed<Placed>,
    prepared: Prepared<Placed>,
    sending: Sending,
  ): Promise<Placement<Placed>> {
    const { subject } = claimed;
    const send = (): Promise<Placed> => sending.through((before) => prepared.place(before), subject.seat);
    const placed = await withoutClientAbort(() => withRoom(subject, prepared.renewFacts, send));
    const isProvisional = subject.isProvisional(placed);
    return keep(claimed, prepared, { placed, origin: 'made', isKept: false, isProvisional, isAbsent: false });
  }
}

import { type AppError } from '../../platform/errors/app-error.js';
import { ALL_REFUSED, type Claim, type Doubt, EXISTS, type SendingHistory } from './placement.js';
import {
  asUnknown,
  hasCode,
  isKept,
  isRefusal,
  isUnknown,
  outcomeUnknown,
  type Kind,
  type Name,
  type Placement,
} from './outcomes.js';
import type { Earlier, Kept, LookUp, Prepared, Rights, Shown, Sought, Subject } from './subject.js';

/** One call under a key, which has the right to send. */
export interface Claimed<Placed> extends Rights {
  readonly subject: Subject<Placed>;
  readonly claim: Claim;
  /** A digest of the exchange account that signs. */
  readonly account: Buffer;
  /** As `LookUps.begin`. */
  readonly readsUntil: number;
  /** Why it may not be sent, though what was sent before is looked up; null where it may. */
  readonly unadmitted: Error | null;
}

/** The order or transfer that is looked up, and its earlier sendings. */
interface LookedUp<Placed> {
  readonly prepared: Prepared<Placed>;
  readonly earlier: Earlier;
  /** Whether a look-up before this sending read every place where the order would show. */
  readonly wasLookedUp: boolean;
}

/** Whether an earlier sending may have made the order, or has: not every answer was a refusal, and none was a duplicate. */
export function isInDoubt({ refusalHoldsAt, isDuplicate: hasDuplicate }: SendingHistory): boolean {
  return refusalHoldsAt !== ALL_REFUSED && !hasDuplicate;
}

/** The doubt of the earlier sendings, which a sending that made nothing leaves in the record. */
export function doubtOf({ refusalHoldsAt, isDuplicate: hasDuplicate }: SendingHistory): Doubt {
  return { refusalHoldsAt, isDuplicate: hasDuplicate };
}

/**
 * Keeps the order that exists as the answer of its record, and notes the order once. It replaces a kept refusal where it `wasRefused`.
 * It does so even where another call holds the claim, since that call may never end. An order that may still change is answered and
 * noted, and the next repeat looks it up again.
 */
export async function keep<Placed>(
  { subject, claim }: { readonly subject: Kept<Placed>; readonly claim: Claim },
  { name }: Pick<Prepared<Placed>, 'name'>,
  { placed, origin, isKept: isAnswer, isProvisional, isAbsent }: Shown<Placed>,
  wasRefused = false,
): Promise<Placement<Placed>> {
  const { recorder } = subject;
  const placement = { placed, origin };
  if (isAnswer) return placement;
  if (isProvisional) {
    await recorder.recordShown(claim, isAbsent, wasRefused);
    await subject.note({ placed, origin: 'found' }, name);
    return placement;
  }
  const note = await subject.noteOf(placement, name);
  const isRecorded = await recorder.recordMade(claim, subject.answerOf(placed), note, wasRefused);
  if (!isRecorded && note !== null) await subject.note({ placed, origin: 'found' }, name);
  return placement;
}

/** The refusal of what has the name of another: that of the look-up, else the one that led to it. */
export function refusalIn({ refusal }: Pick<LookUp<unknown>, 'refusal'>, otherwise: AppError): AppError {
  return refusal ?? otherwise;
}

/** Looks at a kept refusal once more: the exchange may have made it all the same. Null where that is not so, or nobody can tell. */
export async function findRefused<Placed>(
  claimed: Claimed<Placed>,
  prepared: Prepared<Placed>,
  known: Earlier,
): Promise<Placement<Placed> | null> {
  const found = await prepared.lookUp({ ...claimed, row: claimed.claim, when: 'refused', earlier: known });
  if (found.shown !== null) return keep(claimed, prepared, found.shown, true);
  const isConfirmed = found.isAnother === true || (found.isWhole && known.refusalHolds);
  if (isConfirmed) await claimed.subject.records.confirmRefusal(claimed.claim);
  return null;
}

/** What the exchange calls this one a duplicate of, however old; `unknown` is the error where it does not show. */
export async function findDuplicate<Placed>(
  { kind }: Subject<Placed>,
  prepared: Prepared<Placed>,
  sought: Omit<Sought, 'when'>,
  refusal: AppError,
): Promise<LookUp<Placed> & { readonly unknown: AppError }> {
  const { name, isSafeToResend } = prepared;
  const known = { name, cause: refusal, retryable: sought.claim !== null || isSafeToResend };
  try {
    const message = `The exchange has this ${kind}, but does not show it yet.`;
    const unknown = outcomeUnknown(kind, { ...known, message });
    return { ...(await prepared.lookUp({ ...sought, when: 'duplicate' })), unknown };
  } catch (error) {
    if (hasCode(error, 'idempotency_in_progress')) throw error;
    const message = `The exchange has such a${kind === 'order' ? 'n' : ''} ${kind}, but it could not be looked up.`;
    const unknown = outcomeUnknown(kind, { ...known, message, reason: 'search_incomplete' });
    return { shown: null, isWhole: false, unknown };
  }
}

/**
 * The exchange says that it has one of this name. The same is the answer, another one makes the refusal final. One that does not show
 * exists where an earlier sending may have made it; where all that came before was refused, the exchange may have burned the name of
 * what it refused: then the refusal is final once the look-ups have stayed empty for long enough.
 */
export async function settleDuplicate<Placed>(
  claimed: Claimed<Placed>,
  prepared: Prepared<Placed>,
  earlier: Earlier | null,
  refusal: AppError,
): Promise<Placement<Placed>> {
  const { subject, claim } = claimed;
  const { recorder } = subject;
  const { unknown, ...found } = await findDuplicate(subject, prepared, { ...claimed, row: claim, earlier }, refusal);
  if (found.isAnother === true) throw await recorder.recordRefused(claim, refusalIn(found, refusal), true);
  if (found.shown !== null) return keep(claimed, prepared, found.shown);
  if (earlier !== null && isInDoubt(earlier)) {
    await recorder.recordUnknown(claim, unknown, { refusalHoldsAt: EXISTS });
    if (prepared.unnamed === undefined) throw unknown;
    const unnamed: Placement<Placed> = { placed: prepared.unnamed, origin: 'found' };
    await subject.note(unnamed, prepared.name);
    return unnamed;
  }
  if (earlier?.isDuplicate !== true) throw await recorder.recordUnknown(claim, unknown, { isDuplicate: true });
  if (earlier.refusalHolds && found.isWhole) throw await recorder.recordRefused(claim, refusal);
  throw await recorder.recordUnknown(claim, unknown, doubtOf(earlier));
}

/**
 * The error of a resend that proves nothing. Where nothing left, for a reason of our own, the record is as it was before: the error
 * itself where every sending was refused.
 */
export async function stillInDoubt<Placed>(
  { subject, claim }: Claimed<Placed>,
  { prepared, earlier }: LookedUp<Placed>,
  error: unknown,
  mayHaveLeft: boolean,
): Promise<unknown> {
  const answer = asUnknown(subject.kind, error, prepared.name);
  if (mayHaveLeft) return subject.recorder.recordUnknown(claim, answer);
  await subject.recorder.recordUnknown(claim, answer, doubtOf(earlier));
  return earlier.refusalHoldsAt === ALL_REFUSED ? error : answer;
}

/** What was refused may have been made all the same: an order was looked for before this sending, a transfer was not. */
async function lookAfter<Placed>(
  claimed: Claimed<Placed>,
  { prepared, earlier, wasLookedUp }: LookedUp<Placed>,
  error: AppError,
): Promise<LookUp<Placed>> {
  const isKnown = earlier.refusalHoldsAt === ALL_REFUSED && wasLookedUp;
  if (!isRefusal(error) || isKnown) return { shown: null, isWhole: false };
  return orStillUnknown(claimed, earlier, () =>
    prepared.lookUp({ ...claimed, row: claimed.claim, when: 'after', earlier }),
  );
}

function notTakenNow(kind: Kind, name: Name, cause: AppError): AppError {
  const message = `The exchange did not take the ${kind} now, but may have taken it before and not show it yet.`;
  return outcomeUnknown(kind, { message, name, cause });
}

/**
 * This sending made nothing, but an earlier one may have, and may even be the reason: it is looked up again. Else a refusal is
 * final only where the look-ups have stayed empty for long enough after the earlier sendings, or where all of those were refused. The
 * record is never deleted here: the same key stays the same thing.
 */
export async function findEarlier<Placed>(
  claimed: Claimed<Placed>,
  { prepared, earlier, wasLookedUp }: LookedUp<Placed>,
  error: AppError,
): Promise<Placement<Placed>> {
  const { subject, claim } = claimed;
  const wereRefused = earlier.refusalHoldsAt === ALL_REFUSED;
  const found = await lookAfter(claimed, { prepared, earlier, wasLookedUp }, error);
  if (found.isAnother === true) throw await subject.recorder.recordRefused(claim, refusalIn(found, error), true);
  if (found.shown !== null) return keep(claimed, prepared, found.shown);
  const isFinal = wereRefused || (earlier.refusalHolds && found.isWhole);
  if (isFinal && isKept(error)) throw await subject.recorder.recordRefused(claim, error);
  const answer = isFinal ? error : notTakenNow(subject.kind, prepared.name, error);
  throw await subject.recorder.recordUnknown(claim, answer, doubtOf(earlier));
}

/**
 * A step of a look-up. Where it fails the fate is still unknown, and recorded so; where another call has taken over, that call
 * alone records.
 */
export async function orStillUnknown<Placed, T>(
  { subject, claim }: Claimed<Placed>,
  earlier: Earlier,
  step: () => Promise<T>,
): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (hasCode(error, 'idempotency_in_progress')) throw error;
    const message = `The ${subject.kind} could not be looked up. It may exist.`;
    const name = subject.nameIn(earlier.reference) ?? {};
    const answer = isUnknown(error) ? error : outcomeUnknown(subject.kind, { message, name });
    throw await subject.recorder.recordUnknown(claim, answer, doubtOf(earlier));
  }
}

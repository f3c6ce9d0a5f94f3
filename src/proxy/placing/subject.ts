import type { BeforeSend } from '../../exchanges/before-send.js';
import { type ApiKeyPrincipal, botIdOf } from '../../access/principal.js';
import type { ActivityEvent } from '../../activity/activity.service.js';
import type { SendingPermit } from '../../credentials/credentials.service.js';
import type { BatchSeat } from '../../exchanges/order-batch.js';
import type { Trading } from '../../exchanges/trading.contract.js';
import type { AppError, ErrorDetails } from '../../platform/errors/app-error.js';
import type { Ledger } from './ledger.repository.js';
import type { Kind, Name, Origin, Placement } from './outcomes.js';
import type { AskedTerms, Claim, IdempotencyScope, LimitFacts, SendingHistory } from './placement.js';
import type { OutcomeRecorder } from './outcome-recorder.js';

/** The signed calls of a caller, and the check whether the caller may still send. */
export interface Rights {
  readonly trading: Trading;
  readonly permit: SendingPermit;
}

/** How it is to be called at the exchange. */
export interface Naming {
  /** A UUID of ours, which an exchange with client ids takes once. */
  readonly clientId: string;
  /** When its record was made. */
  readonly createdAt: Date;
  /** The reference that its record keeps; null where nothing was sent yet. */
  readonly sentAs: unknown;
}

/** What was sent before and may exist. */
export interface Earlier extends SendingHistory {
  /** When its record was read, by `performance.now()`. */
  readonly readAt: number;
}

/**
 * Why a look-up is made: `before` a resend; `after` the exchange refused a resend; because the exchange calls the order a `duplicate`;
 * or because the kept answer says that the order was `refused`.
 */
export interface Sought {
  readonly when: 'before' | 'after' | 'duplicate' | 'refused';
  /** Null for a first sending. */
  readonly earlier: Earlier | null;
  /** The row that is looked up for. */
  readonly row: Pick<Claim, 'id' | 'userId' | 'botId' | 'exchange'>;
  /** Null without an `Idempotency-Key`. */
  readonly claim: Claim | null;
  /** As `LookUps.begin`. */
  readonly readsUntil: number;
}

/** What exists at the exchange. */
export interface Shown<Placed> {
  readonly placed: Placed;
  readonly origin: Origin;
  /** Whether the record has this order as its answer already. */
  readonly isKept: boolean;
  /** Whether the order may still change: it is answered, and the next repeat looks it up again. */
  readonly isProvisional: boolean;
  /** Whether a complete list of open orders lacks it. */
  readonly isAbsent: boolean;
}

/** What a look-up has come to. */
export interface LookUp<Placed> {
  readonly shown: Shown<Placed> | null;
  /** Whether the look-up read every place where the order would show: only then does absence prove anything. */
  readonly isWhole: boolean;
  /** Whether another order has the name: then this order was not made, and cannot be made. */
  readonly isAnother?: boolean;
  /** The refusal, where the order that has the name is one that another sender of the user has sent. */
  readonly refusal?: AppError;
}

/** An order or a transfer that is checked and ready. */
export interface Prepared<Placed> {
  readonly name: Name;
  /** The part that the record keeps: the name, and the values that the first preparation computed. */
  readonly reference: object;
  readonly asked: AskedTerms;
  /** What the limits of the bot that sends look at, by now; null for what no bot sends. */
  readonly limitFacts: (() => LimitFacts) | null;
  /** Reads these facts anew, where they grow old. */
  readonly renewFacts?: () => Promise<void>;
  /** Whether the same request always has this name, and the exchange takes a name only once. */
  readonly isSafeToResend: boolean;
  /** Sends it exactly once. Throws AppError as `PreparedOrder.place` and `SignedTransfers.create` do. */
  place(beforeSend: BeforeSend): Promise<Placed>;
  /** Looks it up at the exchange. Throws what reading throws, and `idempotency_in_progress` where another call has taken over. */
  lookUp(sought: Sought): Promise<LookUp<Placed>>;
  /** The answer for an order that exists while its id is unknown; left out where such an order is an unknown outcome. */
  readonly unnamed?: Placed;
}

/** What exists as the answer of its record: how it is kept there and noted. */
export interface Kept<Placed> {
  readonly recorder: OutcomeRecorder;
  /** As its record keeps it; `placedIn` reads it. */
  answerOf(placed: Placed): object;
  /** The entry of the activity that says that it was made; null where there is one, or nobody can tell. */
  noteOf(placement: Placement<Placed>, name: Name): Promise<ActivityEvent | null>;
  /** Writes that entry by itself, unless there is one. */
  note(placement: Placement<Placed>, name: Name): Promise<void>;
}

/** One order or transfer that somebody asks for: all in which the two differ. */
export interface Subject<Placed> extends Kept<Placed> {
  readonly kind: Kind;
  readonly caller: ApiKeyPrincipal;
  /** The id of its exchange. */
  readonly exchange: string;
  /** Checked; the same request under a key is the same subject. */
  readonly request: object;
  /** Its seat among those that it leaves together with, for which it waits; undefined where it leaves alone. */
  readonly seat?: BatchSeat | undefined;
  readonly records: Ledger;
  /**
   * Throws what refuses it before the caller's credentials are looked at, however it was sent before. `readsUntil` as of
   * `LookUps.begin`.
   */
  admit(readsUntil: number): Promise<void>;
  /** Reads the caller's credentials, and a digest of the exchange account that signs. */
  open(): Promise<Rights & { readonly account: Buffer }>;
  /** The id that it is sent under, by its record. */
  clientIdOf(claim: Claim): string;
  /** Checks it at its exchange, reading alone. Throws AppError; as what was sent before it is prepared the same, or not at all. */
  prepare(trading: Trading, naming: Naming, readsUntil: number): Promise<Prepared<Placed>>;
  /** The name in a reference that a record keeps; null where nothing was sent. */
  nameIn(reference: unknown): Name | null;
  /** Looks what became of other orders of the sender, where their limits leave no room for this one. */
  findRoom(): Promise<void>;
  /** Whether what was just made is neither living nor over, so that it is looked up again. */
  isProvisional(placed: Placed): boolean;
  /** The kept answer; null where that is a refusal. */
  placedIn(answer: unknown): Placed | null;
  /** Notes that its fate is unknown, once. */
  noteUnknown(details: ErrorDetails | undefined): Promise<void>;
}

/** Who sends what, and where. */
export function senderOf({ caller, exchange, kind }: Subject<unknown>): Omit<IdempotencyScope, 'key'> {
  return { userId: caller.userId, keyPrefix: caller.keyPrefix, botId: botIdOf(caller), exchange, kind };
}

import { monotonicFactory } from 'ulid';
import { endOf } from '../../exchanges/ended-order.js';
import type { BotMarket } from '../../access/principal.js';
import type { Decimal } from '../../exchanges/decimal.js';
import type { AskedOrder } from '../../exchanges/orders.contract.js';
import type { OrderDto, TransferDto } from '../../exchanges/unified.trading.dto.js';
import { AppError } from '../../platform/errors/app-error.js';
import { randomFraction } from '../../platform/secrets/random.js';
import type { Kind } from './outcomes.js';

const nextId = monotonicFactory(randomFraction);

/** The id of a new row of the ledger. */
export function newPlacementId(): string {
  return `plc_${nextId()}`;
}

/** A key and its scope: who sends, where, and what (contract.md 5). */
export interface IdempotencyScope {
  readonly userId: string;
  readonly exchange: string;
  readonly kind: Kind;
  readonly key: string;
  /** Of the bot that sends, whose keys are its own; null for the main key of a user, and for a session. */
  readonly botId: string | null;
  /** Of the API key that sends; empty where a session abandons a key that is bound to nothing. */
  readonly keyPrefix: string;
}

/** What a call adds to the record that it takes over. */
export interface Attempt {
  /** A digest of the exchange account that the order is for. */
  readonly account: Buffer;
  /** How long the call may be busy with the order, in ms, before another may take over. */
  readonly busyMs: number;
}

/** The right of one call to send the order: the newest attempt at this very row. */
export interface Claim extends Omit<IdempotencyScope, 'key'> {
  /** Null for what is asked for without one. */
  readonly key: string | null;
  /** The row's own id (`plc_…`). */
  readonly id: string;
  readonly attempt: number;
  /** The random part of the client order id; differs from row to row, also under the same key (contract.md 5.3). */
  readonly nonce: string;
  /** When the row was made. */
  readonly createdAt: Date;
}

/** What is asked of an exchange, and what it can cost at most; a transfer asks for its amount alone. */
export type AskedTerms = AskedOrder | Pick<AskedOrder, 'cost' | 'currency'>;

/** What the limits of a bot look at, beside what is asked (contract.md 5.12). */
export interface LimitFacts {
  /** The market, event or series of the bot's own that allows the order; null for a bot that may trade everything. */
  readonly allowed_by: BotMarket | null;
  /** How much worse the price is than what the market offers; null where that is not known, or nobody asks. */
  readonly price_distance: Decimal | null;
  /** The database's time at which the read of its book began, at the latest; null where there is none. */
  readonly book_at: string | null;
  readonly expires_at: string | null;
  readonly most_size: Decimal | null;
}

/** What a bot's order reserves: `isAgain` where the same attempt has found no room before. */
export interface Reservation {
  readonly facts: LimitFacts;
  readonly isAgain: boolean;
}

/** A limit of a bot that an order would break; nothing is sent then. */
export interface BrokenLimit {
  readonly limit: string;
  /** Integers of counts and seconds, else decimals. */
  readonly allowed: string | number;
  readonly used: string | number;
  readonly asked: string | number | null;
  readonly resets_at: string | null;
  readonly reason: 'size_not_bounded' | 'no_reference_price' | 'expiry_too_late' | null;
  /** Whether the order may be tried once more, where a look at others finds room: not where its attempt was one too many. */
  readonly may_look_again: boolean;
  /** Whether it refuses because the book was read too long ago. */
  readonly is_stale: boolean;
}

/** What a call adds to its record just before it sends. */
export interface Sending extends Attempt {
  /** From now until a refusal is final at the earliest, in ms. */
  readonly refusalWaitMs: number;
  readonly asked: AskedTerms;
  /** Null for what no bot sends. */
  readonly reservation: Reservation | null;
}

/** How an order was sent so far, by its record. */
export interface SendingHistory {
  /** The `details` of the `OrderReference` of an order that was sent; null where nothing was sent. */
  readonly reference: unknown;
  /** A digest of the account it was sent for; null where that is not known. */
  readonly account: Buffer | null;
  /** How long ago it was first sent, in ms; null where nothing was sent. */
  readonly firstSentMsAgo: number | null;
  /**
   * From when on a refusal is final, as the database writes it: `-infinity` where every sending was refused, `infinity` where the
   * exchange has shown that the order exists; null where nothing was sent.
   */
  readonly refusalHoldsAt: string | null;
  /** Whether that time has come. */
  readonly refusalHolds: boolean;
  /** How long ago that time was, in ms: negative while it lies ahead, infinite as the time is; null where nothing was sent. */
  readonly refusalHeldMs: number | null;
  /** Whether nothing came of the sendings but refusals and at least one duplicate, which may be the exchange's mistake. */
  readonly isDuplicate: boolean;
  /** How long the order has been missing in the exchange's complete lists of open orders, in ms; null where it was not. */
  readonly absentMs: number | null;
}

/** What a call leaves in a record whose order may exist; what is left out stays. */
export interface Doubt {
  /** Restores the time that the last sending, which made no order, had moved; or `infinity`, `-infinity` (`SendingHistory`). */
  readonly refusalHoldsAt?: string | null;
  readonly isDuplicate?: boolean;
  /** Whether a complete list of open orders lacks it; false forgets since when. */
  readonly isAbsent?: boolean;
  /** What is answered, where it is a refusal in the end. */
  readonly answer?: AppError;
}

/** How a sending begins: refused, with the reason of the look; begun; or lost to another call. */
export interface Beginning {
  readonly refusal: string | null;
  /** The limit, where one refuses it. */
  readonly broken: BrokenLimit | null;
  readonly hasBegun: boolean;
}

/** What is known of an order under a key. `busy`: a call may still be working on it. `done`: it has an answer that is kept. */
export interface IdempotentOrder extends SendingHistory {
  readonly id: string;
  readonly fingerprint: Buffer;
  readonly state: 'sending' | 'unknown' | 'done';
  readonly busy: boolean;
  readonly isAbandoned: boolean;
  readonly attempt: number;
  readonly nonce: string;
  readonly createdAt: Date;
  readonly answer: unknown;
}

/** An order of an earlier call, and what that call left in the record. */
export interface TakenOver {
  readonly claim: Claim;
  readonly sendings: SendingHistory;
}

/** What every sending was refused by holds at once; that of an order that exists never does. */
export const ALL_REFUSED = '-infinity';
export const EXISTS = 'infinity';

/** Longer words of an exchange are cut. */
const MOST_WORDS = 1_000;

/** The reason of a refusal, or its code, and what the exchange said: as they are kept. */
export function refusalOf(error: unknown): readonly [reason: string, words: string | null] {
  return error instanceof AppError ? toldRefusal(error) : ['internal_error', null];
}

function toldRefusal({ code, message, details }: ToldError): readonly [reason: string, words: string] {
  return [
    (code === 'bot_halted' ? undefined : details?.reason) ?? code,
    (details?.exchange?.message ?? message).slice(0, MOST_WORDS),
  ];
}

type ToldError = Pick<AppError, 'code' | 'message' | 'details'>;

/** An answer that is kept: an order, a transfer or a refusal. */
interface KeptAnswer {
  readonly order?: OrderDto;
  readonly transfer?: TransferDto;
  readonly refusal?: ToldError;
}

/** The columns that a kept answer fills, beside itself. */
export function columnsOf(answer: KeptAnswer): Readonly<Record<string, unknown>> {
  const { order, transfer, refusal } = answer;
  if (refusal !== undefined) {
    const [reason, words] = toldRefusal(refusal);
    return { state: 'refused', reason, words };
  }
  if (transfer !== undefined) return { state: 'made', exchange_id: transfer.id, status: transfer.status };
  if (order === undefined) return {};
  const end = endOf(order, new Date());
  const ended = end === null ? { state: 'made' } : { state: 'closed', cancelled_size: end.cancelled_size };
  return { ...ended, ...columnsOfOrder(order) };
}

/** What an order says of itself. */
function columnsOfOrder(order: OrderDto): Readonly<Record<string, unknown>> {
  const { id, client_order_id, market_id, outcome, side, price, size, time_in_force, post_only } = order;
  const { status, filled_size, currency } = order;
  const asked = { market_id, outcome_index: outcome.index, side, price, size, time_in_force, post_only };
  return { exchange_id: id, client_order_id, ...asked, currency, status, filled_size };
}

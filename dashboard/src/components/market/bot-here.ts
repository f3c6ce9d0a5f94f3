import { add, complement, isPositive, subtract } from '../../../../src/exchanges/decimal.js';

type Side = 'buy' | 'sell';

/** A fill of the account, with the bot that sent its order; null where nobody knows, or none did. */
export interface OwnFill {
  readonly bot_id: string | null;
  readonly side: Side;
  readonly size: string;
  readonly outcome: { readonly index: number | null };
  readonly status: string;
  readonly timestamp: string;
}

/** An open order of the account. */
export interface OwnOrder {
  readonly bot_id: string | null;
  readonly side: Side;
  readonly price: string;
  readonly remaining_size: string;
  readonly filled_size: string;
  readonly outcome: { readonly index: number | null };
}

/** A bot whose market it is. */
export interface Sender {
  readonly id: string;
  readonly created_at: string;
  readonly usage: { readonly unsettled_orders: number; readonly as_of: string };
}

/** A list of this market as far as it is read; of fills the newest first. */
interface Read<T> {
  readonly rows: readonly T[] | undefined;
  readonly error: unknown;
  readonly hasMore: boolean;
}

/** What the account has in one market. */
interface OwnHere {
  readonly orders: Read<OwnOrder>;
  readonly fills: Read<OwnFill>;
}

/** An order of the bot that rests: long where it buys outcome 0 or sells the other one. */
interface Resting {
  readonly isLong: boolean;
  readonly size: string;
  /** Of outcome 0. */
  readonly price: string;
  readonly hasFilled: boolean;
}

/** What a bot holds of a market by its own fills, in contracts of outcome 0, below 0 of the other one; and what it has open there. */
export interface Here {
  readonly held: string;
  readonly resting: readonly Resting[];
}

/** The service remembers for so long whose an order was that is over (contract.md 5.11). */
const REMEMBERED_MS = 90 * 86_400_000;

export function isLongOf(side: Side, outcome: number | null): boolean {
  return (side === 'buy') === (outcome === 0);
}

/** Whether a list, newest first, lacks rows of `since` or later; that is in milliseconds, Infinity for none. A page may be empty though others follow. */
export function lacksSince({ rows = [], hasMore }: Read<{ readonly timestamp: string }>, since: number): boolean {
  const oldest = rows.at(-1);
  return hasMore && since !== Infinity && (oldest === undefined || Date.parse(oldest.timestamp) >= since);
}

/** Whether fills that the bot may have made are not loaded yet. */
export function lacksFills(fills: OwnHere['fills'], { created_at: since }: Sender): boolean {
  return lacksSince(fills, Date.parse(since));
}

/** Whether a fill may be the bot's though the service names nobody. */
function isForgotten({ bot_id: bot, status, timestamp }: OwnFill, since: number, now: number): boolean {
  const at = Date.parse(timestamp);
  return bot === null && status !== 'failed' && at >= since && at < now - REMEMBERED_MS;
}

function whyUnread({ orders, fills }: OwnHere, bot: Sender): string | null {
  if (orders.error !== null || fills.error !== null) return 'its orders and fills here could not be read.';
  if (orders.rows === undefined || fills.rows === undefined) return 'its orders and fills here are not read yet.';
  if (orders.hasMore || lacksFills(fills, bot))
    return 'not all orders and fills of this market are loaded. Load all of them below.';
  return null;
}

/** An order that rests counts as settled until the service has seen its fill: without a stream in so long, in milliseconds. */
const PROVED_MS = 60_000;

function whyUnproved({ usage }: Sender, fills: readonly OwnFill[]): string | null {
  const { unsettled_orders: unsettled, as_of: at } = usage;
  const proved = Date.parse(at) - PROVED_MS;
  const areProved = fills.every(({ status, timestamp }) => status !== 'pending' && Date.parse(timestamp) < proved);
  if (unsettled === 0 && areProved) return null;
  return 'it is not proved yet what became of all of its orders.';
}

/** What the bot has here, or the end of a sentence that says why that is not known. `now` is in milliseconds. */
export function hereOf(bot: Sender, own: OwnHere, now: number): Here | string {
  const since = Date.parse(bot.created_at);
  const { rows: orders = [] } = own.orders;
  const { rows: all = [] } = own.fills;
  const fills = all.filter(({ bot_id: sender, status }) => sender === bot.id && status !== 'failed');
  const open = orders.filter(({ bot_id: sender }) => sender === bot.id);
  const why = whyUnread(own, bot) ?? whyUnproved(bot, fills);
  if (why !== null) return why;
  if (all.some((fill) => isForgotten(fill, since, now)))
    return 'of fills here that are older than 90 days nobody knows any more whose they were.';
  if ([...fills, ...open].some(({ outcome }) => outcome.index === null))
    return 'the exchange does not say of which outcome all of its orders and fills here are.';
  return {
    held: fills.reduce(
      (held, { side, size, outcome }) => (isLongOf(side, outcome.index) ? add : subtract)(held, size),
      '0',
    ),
    resting: open.map(({ side, outcome, price, remaining_size: size, filled_size: filled }) => ({
      isLong: isLongOf(side, outcome.index),
      size,
      hasFilled: isPositive(filled),
      price: outcome.index === 0 ? price : complement(price),
    })),
  };
}

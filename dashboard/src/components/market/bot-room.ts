import { add, compare, complement, divide, isPositive, multiply, subtract } from '../../../../src/exchanges/decimal.js';
import { type Here, isLongOf, type Sender } from './bot-here.js';

export type LimitName =
  | 'max_order_risk'
  | 'max_open_risk'
  | 'max_daily_risk'
  | 'max_total_risk'
  | 'max_position'
  | 'max_open_orders'
  | 'max_orders_per_minute'
  | 'max_price_distance'
  | 'max_order_seconds'
  | 'max_requests_per_minute';

/** By currency. */
type Amounts = Readonly<Record<string, string>>;

/** A bot as the account has it (contract.md 5.11). */
export interface Bot extends Sender {
  readonly state: string;
  readonly exchanges: readonly string[] | null;
  /** Each names an exchange, and a market, an event or a series there. */
  readonly markets: readonly object[] | null;
  readonly heartbeat: { readonly missed_since: string | null } | null;
  readonly limits: Readonly<Record<LimitName, string | number | null>>;
  readonly usage: Sender['usage'] & {
    readonly open_risk: Amounts;
    readonly daily_risk: Amounts;
    readonly total_risk: Amounts;
    readonly open_orders: number;
    readonly orders_last_minute: number;
  };
}

/** What the preview says would be sent (contract.md 5.18). */
interface Order {
  readonly outcome_index: number | null;
  readonly side: 'buy' | 'sell';
  readonly price: string;
  readonly size: string;
  readonly time_in_force: string | null;
  readonly expires_at: string | null;
  readonly money: string | null;
  readonly currency: string;
}

interface Level {
  readonly price: string;
  readonly size: string;
}

interface Market {
  readonly id: string;
  readonly exchange: string;
  readonly event_id: string | null;
  readonly series_id: string | null;
}

/** An amount that is known, or between which two it is; `most` is null where nothing bounds it. */
interface Span {
  readonly least: string;
  readonly most: string | null;
}

/** A limit of a bot, and what of it is used without and with the order. */
export interface Room {
  readonly limit: LimitName;
  readonly allowed: string;
  /** Null where it is not known. */
  readonly used: string | null;
  readonly asked: Span | null;
  readonly unit: string | null;
  /** Null where it cannot be told. */
  readonly fits: boolean | null;
  /** What else is to be said of it: the end of a sentence. */
  readonly note: string | null;
}

/** What is known of an order that a bot would send at `now`, in milliseconds. */
export interface Asked {
  readonly bot: Bot;
  readonly order: Order;
  readonly preview: {
    readonly cost: string | null;
    readonly book: { readonly bid: Level | null; readonly ask: Level | null } | null;
  };
  /** What the bot has in the market, or why that is not known, as `hereOf`. */
  readonly here: Here | string;
  readonly now: number;
}

/** A contract can lose no more, whatever its price is. */
const WHOLE = '1';

function exactly(amount: string): Span {
  return { least: amount, most: amount };
}

function atLeast0(amount: string): string {
  return isPositive(amount) ? amount : '0';
}

function sizeOf(resting: Here['resting']): string {
  return resting.reduce((sum, { size }) => add(sum, size), '0');
}

/** Up to twelve places, as the service rounds it. */
function perContract(cost: string, size: string): string {
  const cut = multiply(divide(multiply(cost, '100'), size), '0.01');
  return compare(multiply(cut, size), cost) < 0 ? add(cut, '0.000000000001') : cut;
}

/** What a contract of the order can lose, by its price, or by what it costs where that is more. */
function unitRiskOf({ order: { side, price, size }, preview: { cost } }: Asked): string {
  const risk = side === 'buy' ? price : complement(price);
  return cost !== null && compare(cost, multiply(risk, size)) > 0 ? perContract(cost, size) : risk;
}

/** Whether it is a sum that is spent, for as many contracts as that buys. */
function spends({ side, money, time_in_force: life }: Order): boolean {
  return side === 'buy' && money !== null && (life === 'ioc' || life === 'fok');
}

/** What of the bot's is at stake beside the order, seen in the order's direction. */
interface Beside {
  /** How much its fills hold of what the order would take back. */
  readonly cover: string;
  /** What it has open in the same direction. */
  readonly same: Here['resting'];
}

function besideOf({ order, here }: Asked): Beside | null {
  if (typeof here === 'string') return null;
  const isLong = isLongOf(order.side, order.outcome_index);
  return {
    cover: atLeast0(isLong ? subtract('0', here.held) : here.held),
    same: here.resting.filter((one) => one.isLong === isLong),
  };
}

/** What the order itself can lose: what takes back the bot's own fills, and is not taken by another of its orders, loses nothing. */
function ownRiskOf(asked: Asked): Span {
  const { order } = asked;
  const unit = unitRiskOf(asked);
  const beside = besideOf(asked);
  const whole = multiply(unit, order.size);
  if (beside !== null && !isPositive(beside.cover)) return exactly(whole);
  if (beside === null || spends(order)) return { least: '0', most: whole };
  const free = atLeast0(subtract(beside.cover, sizeOf(beside.same)));
  return exactly(multiply(unit, atLeast0(subtract(order.size, free))));
}

/** By how much the order raises the sums of risk. Orders of one direction take back together, the dearest of them last. */
function addedRiskOf(asked: Asked): Span {
  const { order } = asked;
  const beside = besideOf(asked);
  if (beside !== null && (!isPositive(beside.cover) || beside.same.length === 0)) return ownRiskOf(asked);
  // Whatever is dearer among the others may be at risk in the place of the order.
  return { least: '0', most: spends(order) ? null : multiply(WHOLE, order.size) };
}

function addsNothing({ most }: Span): boolean {
  return most !== null && !isPositive(most);
}

/** Whether the limit holds; what adds nothing to a sum breaks nothing. */
function fitsIn(allowed: string, used: string, asked: Span): boolean | null {
  const { least, most } = asked;
  if (addsNothing(asked)) return true;
  if (isPositive(least) && compare(add(used, least), allowed) > 0) return false;
  return most !== null && compare(add(used, most), allowed) <= 0 ? true : null;
}

type Reckoned = Pick<Room, 'used' | 'asked' | 'unit' | 'fits' | 'note'>;
type Reckon = (asked: Asked, allowed: string) => Reckoned | null;

const TAKES_BACK = 'it may take back what the bot holds here, ';

/** Why the risk is not known to the digit; null where it is. */
function whyRisk({ order, here }: Asked, { least, most }: Span): string | null {
  if (least === most) return null;
  if (typeof here === 'string') return `${TAKES_BACK}and ${here}`;
  return spends(order)
    ? `${TAKES_BACK}and how many contracts its money buys is not known.`
    : `${TAKES_BACK}and so may other open orders of the bot: the dearest of them are at risk.`;
}

function ofRisk(usedOf: (bot: Bot, currency: string) => string, spanOf: (asked: Asked) => Span): Reckon {
  return (asked, allowed) => {
    const { currency } = asked.order;
    const used = usedOf(asked.bot, currency);
    const span = spanOf(asked);
    const fits = fitsIn(allowed, used, span);
    return { used, asked: span, unit: currency, fits, note: fits === null ? whyRisk(asked, span) : null };
  };
}

function ofCount(usedOf: (usage: Bot['usage']) => number): Reckon {
  return ({ bot }, allowed) => {
    const used = String(usedOf(bot.usage));
    const asked = exactly('1');
    return { used, asked, unit: null, fits: fitsIn(allowed, used, asked), note: null };
  };
}

function ofSum(name: 'open_risk' | 'daily_risk' | 'total_risk'): Reckon {
  return ofRisk(({ usage }, currency) => usage[name][currency] ?? '0', addedRiskOf);
}

/** Of what it holds and what could still be executed in the order's direction: below 0 as long as it takes back. */
function position({ order, here }: Asked, allowed: string): Reckoned {
  const asked: Span = { least: order.size, most: spends(order) ? null : order.size };
  if (typeof here === 'string') return { used: null, asked, unit: null, fits: null, note: here };
  const isLong = isLongOf(order.side, order.outcome_index);
  const open = sizeOf(here.resting.filter((one) => one.isLong === isLong));
  const used = add(isLong ? here.held : subtract('0', here.held), open);
  const note = spends(order)
    ? 'it spends a sum, and needs room for all that the sum buys at the smallest tick of the exchange.'
    : null;
  return { used, asked, unit: null, fits: fitsIn(allowed, used, asked), note };
}

/** Whether somebody else is known to offer at the best price that the order could trade at. */
function isOthers({ order, here }: Asked, level: Level): boolean {
  if (typeof here === 'string') return false;
  const isLong = isLongOf(order.side, order.outcome_index);
  const price = order.outcome_index === 0 ? level.price : complement(level.price);
  const own = here.resting.filter((one) => one.isLong !== isLong && compare(one.price, price) === 0);
  // What of an own order has filled does not count as an offer of others either.
  return own.every(({ hasFilled }) => !hasFilled) && compare(level.size, sizeOf(own)) > 0;
}

/** What the order could trade with first; null where nobody offers, or the book could not be read. */
function bestOf({ order, preview: { book } }: Asked): Level | null {
  if (book === null) return null;
  return order.side === 'buy' ? book.ask : book.bid;
}

function distanceFrom(best: Level, { side, price }: Order): string {
  return side === 'buy' ? subtract(price, best.price) : subtract(best.price, price);
}

/** How much worse than the best opposite quote, with the bot's own and without them: the strictest counts, and without others there is none. */
function priceDistance(asked: Asked, allowed: string): Reckoned {
  const { order, here } = asked;
  const best = bestOf(asked);
  const distance = best === null ? null : distanceFrom(best, order);
  const room = { used: '0', asked: distance === null ? null : exactly(distance), unit: order.currency };
  const risk = ownRiskOf(asked);
  if (addsNothing(risk)) return { ...room, fits: true, note: 'it takes back alone, which this limit does not stop.' };
  if (best === null || distance === null)
    return { ...room, fits: null, note: 'no offer of the other side is known, so that the last trade may count.' };
  if (compare(distance, allowed) > 0)
    return { ...room, fits: isPositive(risk.least) ? false : null, note: whyRisk(asked, risk) };
  if (isOthers(asked, best)) return { ...room, fits: true, note: null };
  const note =
    typeof here === 'string' ? here : 'the best offer is the bot’s own: a price of others counts, or the last trade.';
  return { ...room, asked: { least: distance, most: null }, fits: null, note };
}

/** How long it may rest, in seconds. */
function orderSeconds({ order, now }: Asked, allowed: string): Reckoned | null {
  const { time_in_force: life, expires_at: end } = order;
  if (life === 'ioc' || life === 'fok') return null;
  const room = { used: '0', unit: null };
  if (end === null)
    return {
      ...room,
      asked: null,
      fits: true,
      note: 'an order without an end is given one by then, which the exchange holds.',
    };
  const asked = exactly(String(Math.ceil((Date.parse(end) - now) / 1_000)));
  return { ...room, asked, fits: fitsIn(allowed, '0', asked), note: null };
}

function requests(): Reckoned {
  const note = 'how many requests a bot has made in this minute is told nowhere.';
  return { used: null, asked: null, unit: null, fits: null, note };
}

/** In the order in which the service looks (contract.md 5.12). */
const RECKONED: Readonly<Record<LimitName, Reckon>> = {
  max_order_risk: ofRisk(() => '0', ownRiskOf),
  max_open_risk: ofSum('open_risk'),
  max_daily_risk: ofSum('daily_risk'),
  max_total_risk: ofSum('total_risk'),
  max_position: position,
  max_open_orders: ofCount(({ open_orders: open }) => open),
  max_orders_per_minute: ofCount(({ orders_last_minute: made }) => made),
  max_price_distance: priceDistance,
  max_order_seconds: orderSeconds,
  max_requests_per_minute: requests,
};

/** The limits that the bot has and that are looked at for this order. Exact, by what the service and the exchange told last. */
export function roomsOf(asked: Asked): Room[] {
  return (Object.keys(RECKONED) as LimitName[]).flatMap((limit) => {
    const allowed = asked.bot.limits[limit];
    if (allowed === null) return [];
    const reckoned = RECKONED[limit](asked, String(allowed));
    return reckoned === null ? [] : [{ limit, allowed: String(allowed), ...reckoned }];
  });
}

function whyStopped({ state, heartbeat }: Bot): string | null {
  if (state === 'halted') return 'It is halted, and sends no order until you resume it.';
  if (state === 'expired') return 'Its end has come.';
  const isMissed = (heartbeat?.missed_since ?? null) !== null;
  return isMissed ? 'It has missed its heartbeat, and sends no order until it beats again.' : null;
}

/** Why the bot could send no order of this market at all; null where nothing is in its way. */
export function whyNot(bot: Bot, market: Market): string | null {
  const stopped = whyStopped(bot);
  if (stopped !== null) return stopped;
  if (bot.exchanges !== null && !bot.exchanges.some((id) => id === market.exchange)) {
    return 'It may not trade at this exchange.';
  }
  const ids: Readonly<Record<string, unknown>> = { ...market, market_id: market.id };
  const isNamed = bot.markets?.some((named) =>
    // Of which series it is an exchange does not always say: the service asks for that.
    Object.entries(named).every(([name, id]) => ids[name] === (id ?? ids[name]) || ids[name] === null),
  );
  return isNamed === false ? 'This market is none of those that it may trade in.' : null;
}

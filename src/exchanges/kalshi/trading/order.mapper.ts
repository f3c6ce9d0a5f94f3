import {
  add,
  compare,
  complement,
  type Decimal,
  divide,
  multiply,
  parseDecimal,
  placesOf,
  subtract,
  withPlaces,
} from '../../decimal.js';
import type { AskedOrder, OrderReference, SentOrder, SentTerms } from '../../orders.contract.js';
import { isoTime, parseIsoTime } from '../../time.js';
import type { OrderDto, OrderStatus, Side, TimeInForce } from '../../unified.trading.dto.js';
import { type OutcomeIndex, outcomeIndexOf, outcomeOf, priceFor, resolveOutcome } from '../market-data/outcomes.js';
import { CURRENCY, KALSHI } from '../kalshi.ids.js';
import type { KalshiOrderRequestDto } from './order.dto.js';
import type { WireCreated, WireOrder } from './order.wire.js';

/** What a client asked for, read: prices of the outcome named, decimals canonical. */
export interface OrderTerms {
  readonly ticker: string;
  readonly index: OutcomeIndex;
  readonly side: Side;
  readonly price: Decimal;
  readonly size: Decimal;
  readonly timeInForce: TimeInForce;
  readonly postOnly: boolean | undefined;
  readonly reduceOnly: boolean | undefined;
  /** Whole seconds, as the exchange has them. */
  readonly expiresAt: Date | null;
  readonly clientOrderId: string;
  /** Whether the client chose that id. */
  readonly isNamedByClient: boolean;
}

/** How the exchange writes numbers (kalshi.md 3). */
const PRICE_PLACES = 4;
const COUNT_PLACES = 2;

const TIMES_IN_FORCE = {
  gtc: 'good_till_canceled',
  gtd: 'good_till_canceled',
  ioc: 'immediate_or_cancel',
  fok: 'fill_or_kill',
} as const satisfies Record<TimeInForce, string>;

const FINAL_STATUSES = { executed: 'filled', canceled: 'cancelled' } as const satisfies Record<string, OrderStatus>;

/** Reads a request; `clientOrderId` stands in where it does not name one. */
export function termsOf(request: KalshiOrderRequestDto, clientOrderId: string): OrderTerms {
  return {
    ticker: request.market_id,
    index: resolveOutcome(request.market_id, request.outcome),
    side: request.side,
    price: parseDecimal(request.price) ?? request.price,
    size: parseDecimal(request.size) ?? request.size,
    timeInForce: request.time_in_force,
    postOnly: request.post_only,
    reduceOnly: request.reduce_only,
    expiresAt: wholeSeconds(request.expires_at),
    clientOrderId: request.client_order_id ?? clientOrderId,
    isNamedByClient: request.client_order_id !== undefined,
  };
}

/**
 * What the ledger keeps with the name of an order, beside what it keeps of every order: only under an id that the client chose do all
 * terms say whose order it is. Null where there is nothing more.
 */
export function keptTerms({ isNamedByClient, expiresAt, reduceOnly }: OrderTerms): OrderReference['terms'] | null {
  if (!isNamedByClient || (expiresAt === null && reduceOnly !== true)) return null;
  return { ...(expiresAt && { expires_at: expiresAt.toISOString() }), ...(reduceOnly && { reduce_only: 'true' }) };
}

/** The terms of an order that was sent, by its record; null where that lacks one. `ownId` is the id that we make for it. */
export function recordedTerms(asked: SentTerms, sentAs: SentOrder | null, ownId: string): OrderTerms | null {
  const { market_id: ticker, outcome_index: index, side, price, size, time_in_force: timeInForce, post_only } = asked;
  if (index === null || timeInForce === null) return null;
  const clientOrderId = sentAs?.client_order_id ?? ownId;
  const isNamedByClient = clientOrderId !== ownId;
  const { expiresAt, reduceOnly } = keptIn(sentAs);
  // A record of an earlier version.
  if (isNamedByClient && timeInForce === 'gtd' && expiresAt === null) return null;
  return {
    ticker,
    index,
    side,
    price,
    size,
    timeInForce,
    postOnly: post_only ?? undefined,
    reduceOnly,
    expiresAt,
    clientOrderId,
    isNamedByClient,
  };
}

/** What `keptTerms` has kept. */
function keptIn(sentAs: SentOrder | null): Pick<OrderTerms, 'expiresAt' | 'reduceOnly'> {
  const { expires_at: at, reduce_only: reduceOnly } = sentAs?.terms ?? {};
  return { expiresAt: at === undefined ? null : new Date(at), reduceOnly: reduceOnly === 'true' ? true : undefined };
}

/** What the ledger keeps of an order: a sale costs at most what the other outcome would. No amounts are signed here. */
export function askedOf({
  ticker,
  index,
  side,
  price,
  size,
  timeInForce,
  postOnly,
  expiresAt,
}: OrderTerms): AskedOrder {
  return {
    market_id: ticker,
    outcome_index: index,
    side,
    price,
    size,
    time_in_force: timeInForce,
    post_only: postOnly ?? false,
    money: null,
    shares: null,
    cost: multiply(side === 'buy' ? price : complement(price), size),
    currency: CURRENCY,
    expires_at: expiresAt?.toISOString() ?? null,
    most_size: null,
  };
}

/** Down to the second, so that no order lives longer than asked for. */
function wholeSeconds(time: string | undefined): Date | null {
  const iso = parseIsoTime(time);
  return iso === null ? null : new Date(Math.floor(Date.parse(iso) / 1_000) * 1_000);
}

/** One book in terms of YES: buying YES and selling NO bid, selling YES and buying NO ask (kalshi.md 5.1). */
export function bookSide({ index, side }: OrderTerms): 'bid' | 'ask' {
  return (index === 0) === (side === 'buy') ? 'bid' : 'ask';
}

/** A price in terms of YES, and a count, as the exchange writes them. */
export const wirePrice = (price: Decimal): string => withLeastPlaces(price, PRICE_PLACES);
export const wireCount = (count: Decimal): string => withLeastPlaces(count, COUNT_PLACES);

/** As the exchange writes it; finer than it takes is left as it is, for it to refuse, and never cut. */
function withLeastPlaces(value: Decimal, places: number): string {
  return withPlaces(value, Math.max(places, placesOf(value)));
}

/**
 * The body of `POST /portfolio/events/orders`, field by field as Kalshi documents it; `shard` is the market's own where it is
 * known, else the exchange looks for it (kalshi.md 9.2).
 */
export function toCreateBody(terms: OrderTerms, shard?: number): Readonly<Record<string, string | number | boolean>> {
  const { expiresAt, postOnly, reduceOnly } = terms;
  return {
    ticker: terms.ticker,
    client_order_id: terms.clientOrderId,
    side: bookSide(terms),
    count: wireCount(terms.size),
    price: wirePrice(priceFor(terms.index, terms.price)),
    time_in_force: TIMES_IN_FORCE[terms.timeInForce],
    self_trade_prevention_type: 'taker_at_cross',
    ...(expiresAt === null ? {} : { expiration_time: expiresAt.getTime() / 1_000 }),
    ...(postOnly === undefined ? {} : { post_only: postOnly }),
    ...(reduceOnly === undefined ? {} : { reduce_only: reduceOnly }),
    ...(shard === undefined ? {} : { exchange_index: shard }),
  };
}

/** The order that an acknowledgement is about: it repeats the request's outcome, side and price (unified-schema.md 7). */
export function toCreatedOrder(terms: OrderTerms, created: WireCreated): OrderDto {
  const filled = created.fill_count;
  const at = typeof created.ts_ms === 'number' ? isoTime(created.ts_ms) : null;
  return {
    exchange: KALSHI,
    id: created.order_id,
    ...requested(terms),
    type: 'limit',
    filled_size: filled,
    remaining_size: created.remaining_count,
    ...averages(terms, created),
    currency: CURRENCY,
    ...sizeOf(terms, created),
    status: createdStatus(terms.size, filled, created.remaining_count),
    status_reason: null,
    created_at: at,
    updated_at: at,
    expires_at: terms.expiresAt?.toISOString() ?? null,
    trade_ids: filled === '0' ? [] : null,
  };
}

/** The exchange caps an order that is reduce-only; what rests and what has filled are all of it. */
function sizeOf(
  { size, reduceOnly }: OrderTerms,
  { fill_count, remaining_count }: WireCreated,
): Pick<OrderDto, 'size'> {
  return { size: reduceOnly === true && remaining_count !== '0' ? add(fill_count, remaining_count) : size };
}

/** The exchange tells averages per contract, the price in terms of YES, and only where something was filled. */
function averages({ index }: OrderTerms, created: WireCreated): Pick<OrderDto, 'average_fill_price' | 'fees'> {
  const { fill_count: filled, average_fill_price: price, average_fee_paid: fee } = created;
  if (filled === '0') return { average_fill_price: null, fees: '0' };
  return {
    average_fill_price: price === null ? null : priceFor(index, price),
    fees: fee === null ? null : feesOf(fee, filled),
  };
}

/** Fees are whole ten-thousandths of a dollar, and the average has six places: of more contracts it does not tell them exactly. */
const MOST_EXACT = '100';
const HALF_A_FEE = '0.00005';
const FEE_PLACES = 4;

function feesOf(average: Decimal, filled: Decimal): Decimal | null {
  if (compare(filled, MOST_EXACT) >= 0) return null;
  return parseDecimal(withPlaces(add(multiply(average, filled), HALF_A_FEE), FEE_PLACES));
}

function createdStatus(size: Decimal, filled: Decimal, remaining: Decimal): OrderStatus {
  if (remaining !== '0') return filled === '0' ? 'open' : 'partially_filled';
  return compare(filled, size) < 0 ? 'cancelled' : 'filled';
}

/** What the answer to a create repeats of the request. */
function requested(terms: OrderTerms) {
  return {
    client_order_id: terms.clientOrderId,
    market_id: terms.ticker,
    outcome: outcomeOf(terms.ticker, terms.index),
    side: terms.side,
    time_in_force: terms.timeInForce,
    post_only: terms.postOnly ?? false,
    price: terms.price,
  };
}

/**
 * An order as it is read: *buy of the outcome exposed*, since Kalshi cannot tell that from selling the other one. Of words that
 * are not known, and of impossible counts, only that much is: the order is there, its end is not. Its price is in terms of YES
 * where its outcome is not known.
 */
export function toOrder(order: WireOrder): OrderDto {
  const index = readIndex(order);
  return {
    exchange: KALSHI,
    id: order.order_id,
    client_order_id: order.client_order_id,
    market_id: order.ticker,
    outcome: index === null ? { id: order.ticker, index, label: null } : outcomeOf(order.ticker, index),
    side: 'buy',
    type: order.type ?? 'limit',
    time_in_force: order.expiration_time === null ? null : 'gtd',
    post_only: null,
    price: index === 1 ? order.no_price_dollars : order.yes_price_dollars,
    ...readSizes(order),
    average_fill_price: averageFillPrice(order, index ?? 0),
    fees: add(order.taker_fees_dollars, order.maker_fees_dollars),
    currency: CURRENCY,
    ...readState(order),
    created_at: order.created_time,
    updated_at: order.last_update_time,
    expires_at: order.expiration_time,
    trade_ids: order.fill_count_fp === '0' ? [] : null,
  };
}

/**
 * In terms of the outcome `index`. Fill costs are what the exposed outcome cost; the other outcome cost the rest of the 1
 * that each contract pays.
 */
export function averageFillPrice(order: WireOrder, index: OutcomeIndex): Decimal | null {
  const [filled, exposed] = [order.fill_count_fp, readIndex(order)];
  if (exposed === null || compare(filled, '0') <= 0) return null;
  const cost = add(order.taker_fill_cost_dollars, order.maker_fill_cost_dollars);
  return divide(index === exposed ? cost : subtract(filled, cost), filled);
}

function readIndex({ outcome_side: side }: WireOrder): OutcomeIndex | null {
  return side === null ? null : outcomeIndexOf(side);
}

/** None is negative; an order that was amended has more than it began with, which is filled or left. */
function readSizes(order: WireOrder): Pick<OrderDto, 'size' | 'filled_size' | 'remaining_size'> {
  const [filled, left] = [atLeastZero(order.fill_count_fp), atLeastZero(order.remaining_count_fp)];
  const [size, whole] = [atLeastZero(order.initial_count_fp), add(filled, left)];
  return { size: compare(whole, size) > 0 ? whole : size, filled_size: filled, remaining_size: left };
}

function atLeastZero(count: Decimal): Decimal {
  return compare(count, '0') < 0 ? '0' : count;
}

function readState(order: WireOrder): Pick<OrderDto, 'status' | 'status_reason'> {
  const { status, fill_count_fp: filled, remaining_count_fp: left, initial_count_fp: size } = order;
  const isPossible = [filled, left, size].every((count) => compare(count, '0') >= 0);
  if (!isPossible || status === null || order.type === null || order.outcome_side === null) {
    return { status: 'pending', status_reason: 'unknown_status' };
  }
  const restingStatus = filled === '0' ? 'open' : 'partially_filled';
  return { status: status === 'resting' ? restingStatus : FINAL_STATUSES[status], status_reason: null };
}

import type { Secret } from '../../../platform/secrets/secret.js';
import { add, compare, type Decimal, divide, multiply, scaleDown, subtract } from '../../decimal.js';
import type { AskedOrder, KnownOrder } from '../../orders.contract.js';
import { isoTime } from '../../time.js';
import type { OrderDto, OrderStatus, Side, TimeInForce, TradedOutcomeDto } from '../../unified.trading.dto.js';
import type { MarketFacts, TokenFacts } from '../market-data/directory/market-directory.js';
import { CURRENCY, CURRENCY_DECIMALS, POLYMARKET } from '../polymarket.ids.js';
import { wideId } from '../position-ids.js';
import { domainOf } from './order-domains.js';
import { type HashedOrder, orderHash } from './order-hash.js';
import { spendsSum } from './order-amounts.js';
import type { PolymarketOrderDto, SignedOrderDto } from './order.dto.js';
import type { WireOrder } from './order.wire.js';

/** What an order says, whoever reports it. */
export interface OrderTerms {
  readonly id: string;
  readonly marketId: string;
  readonly outcome: TradedOutcomeDto;
  readonly side: Side;
  readonly timeInForce: TimeInForce | null;
  readonly postOnly: boolean | null;
  readonly price: Decimal;
  readonly size: Decimal;
  /** Dollars that an order of plain parameters spends in place of aiming at its size (contract.md 5.6). */
  readonly money?: Decimal;
  readonly expiresAt: Date | null;
}

/** What has become of it. */
export interface OrderState {
  readonly status: OrderStatus;
  readonly statusReason: string | null;
  readonly filledSize: Decimal;
  readonly createdAt: Date | null;
  readonly tradeIds: readonly string[];
}

const TIMES_IN_FORCE = new Map<string, TimeInForce>([
  ['GTC', 'gtc'],
  ['GTD', 'gtd'],
  ['FOK', 'fok'],
  ['FAK', 'ioc'],
]);

interface Standing {
  readonly status: OrderStatus;
  readonly reason: string | null;
}

/** Of a status that is not known, only that much is: the order is there, its end is not. */
const UNKNOWN: Standing = { status: 'pending', reason: 'unknown_status' };

const STANDINGS = new Map<string, Standing>([
  ['MATCHED', { status: 'filled', reason: null }],
  ['CANCELED', { status: 'cancelled', reason: null }],
  ['CANCELED_MARKET_RESOLVED', { status: 'cancelled', reason: 'market_resolved' }],
  ['INVALID', { status: 'rejected', reason: null }],
  ['DELAYED', { status: 'pending', reason: null }],
]);

/** Of an order that is whole at most this share may be missing, in percent: amounts are rounded. */
const MOST_MISSING_PERCENT = '1';

function standingOf(order: WireOrder): Standing {
  const { status, size_matched: filled } = order;
  if (!mayBeOf(order)) return UNKNOWN;
  if (status !== 'LIVE' && status !== 'UNMATCHED') return STANDINGS.get(status) ?? UNKNOWN;
  return { status: compare(filled, '0') > 0 ? 'partially_filled' : 'open', reason: null };
}

/** Whether it can have matched as much as it says: none less than nothing, and what is matched whole nearly all; an `ioc` may end sooner. */
function mayBeOf(order: WireOrder): boolean {
  const { status, size_matched: filled, original_size: size } = order;
  if (compare(filled, '0') < 0) return false;
  const timeInForce = timeInForceOf(order);
  if (status !== 'MATCHED' || timeInForce === null || timeInForce === 'ioc') return true;
  return compare(multiply(subtract(size, filled), '100'), multiply(size, MOST_MISSING_PERCENT)) <= 0;
}

/** Returns what has become of an order, by the exchange's word for it (unified-schema.md 7). */
export function stateOf(order: WireOrder): OrderState {
  const { status, reason } = standingOf(order);
  return {
    status,
    statusReason: reason,
    filledSize: compare(order.size_matched, '0') < 0 ? '0' : order.size_matched,
    createdAt: order.created_at,
    tradeIds: order.associate_trades,
  };
}

/** Returns null for a sort of order that is not known, and where the exchange leaves it out. */
export function timeInForceOf({ order_type: type }: WireOrder): TimeInForce | null {
  return TIMES_IN_FORCE.get(type?.toUpperCase() ?? '') ?? null;
}

/** Returns the outcome of a token, by its own label where the market is unknown; null where it is none of the market's. */
export function tradedOutcome(
  { asset_id: id, outcome: label }: Pick<WireOrder, 'asset_id' | 'outcome'>,
  market: MarketFacts | undefined,
): TradedOutcomeDto | null {
  if (market === undefined) return { id, index: null, label };
  return market.outcomes.find((outcome) => outcome.id === id) ?? null;
}

/** An order in the unified shape (unified-schema.md 7); null where its token is none of the market's. */
export function toOrder(order: WireOrder, market: MarketFacts | undefined): OrderDto | null {
  const outcome = tradedOutcome(order, market);
  if (outcome === null) return null;
  const terms: OrderTerms = {
    id: order.id,
    marketId: market?.marketId ?? wideId(order.market),
    outcome,
    side: order.side === 'BUY' ? 'buy' : 'sell',
    timeInForce: timeInForceOf(order),
    postOnly: null,
    price: order.price,
    size: order.original_size,
    expiresAt: order.expiration,
  };
  return orderOf(terms, stateOf(order));
}

/** What is over once an order has all that it asked for: a BUY that is filled at once may get more (polymarket.md 7.3). */
const OVER_WHEN_WHOLE: ReadonlySet<OrderStatus> = new Set(['open', 'partially_filled', 'cancelled']);

const CENT = '0.01';

/**
 * Whether an order has all that it asked for. One that spends a sum cannot spend parts of a cent: it may lack what one more cent
 * would have bought (contract.md 5.6).
 */
function isWhole({ size, money }: OrderTerms, filledSize: Decimal): boolean {
  if (money === undefined || compare(filledSize, size) >= 0) return compare(filledSize, size) >= 0;
  return compare(multiply(filledSize, add(money, CENT)), multiply(size, money)) >= 0;
}

/** For the exchange an order that spends a sum is filled once that is spent, on however few shares. */
function standingBySize(terms: OrderTerms, { status, statusReason: reason, filledSize }: OrderState): Standing {
  const spends = terms.money !== undefined;
  if (!isWhole(terms, filledSize)) return { status: spends && status === 'filled' ? 'cancelled' : status, reason };
  const isOver = OVER_WHEN_WHOLE.has(status) || (spends && reason === UNKNOWN.reason);
  return isOver ? { status: 'filled', reason: null } : { status, reason };
}

/** An order in the unified shape; `size` is what was asked for, `filled_size` may be more (contract.md 5.6). */
export function orderOf(terms: OrderTerms, state: OrderState): OrderDto {
  const { status, reason } = standingBySize(terms, state);
  return {
    exchange: POLYMARKET,
    id: terms.id,
    client_order_id: null,
    market_id: terms.marketId,
    outcome: terms.outcome,
    side: terms.side,
    type: 'limit',
    time_in_force: terms.timeInForce,
    post_only: terms.postOnly,
    price: terms.price,
    size: terms.size,
    filled_size: state.filledSize,
    remaining_size: isWhole(terms, state.filledSize) ? '0' : subtract(terms.size, state.filledSize),
    average_fill_price: null,
    fees: null,
    currency: CURRENCY,
    status,
    status_reason: reason,
    created_at: state.createdAt === null ? null : isoTime(state.createdAt),
    updated_at: null,
    expires_at: terms.expiresAt === null ? null : isoTime(terms.expiresAt),
    trade_ids: [...state.tradeIds],
  };
}

/**
 * The same order with the size that was asked for, as its create told it: a purchase at once spends a sum, for which the exchange
 * states another size (contract.md 5.6). `known` is null where it was not made here.
 */
export function asAsked(order: OrderDto, known: KnownOrder | null): OrderDto {
  const { side, time_in_force: life, filled_size: filled } = order;
  const isAtOnce = life === 'ioc' || life === 'fok';
  if (side !== 'buy' || !isAtOnce || known?.size == null) return order;
  const { size } = known;
  const status = order.status === 'filled' && known.status === 'cancelled' ? known.status : order.status;
  return { ...order, size, status, remaining_size: status === 'filled' ? '0' : leftOf(size, filled) };
}

function leftOf(size: Decimal, filled: Decimal): Decimal {
  return compare(filled, size) < 0 ? subtract(size, filled) : '0';
}

/** How an order lives, which its hash does not say. */
export interface OrderLife {
  readonly timeInForce: TimeInForce;
  readonly postOnly: boolean;
}

export function lifeOf({ time_in_force: timeInForce, post_only: postOnly = false }: PolymarketOrderDto): OrderLife {
  return { timeInForce, postOnly };
}

/** What a hash names: an order on a market, without price and size, which only a plain request states. */
export function hashedTerms(
  order: HashedOrder & Pick<SignedOrderDto, 'expiration'>,
  { timeInForce, postOnly }: OrderLife,
  { marketId, outcome, protocol, negRisk }: TokenFacts,
): Omit<OrderTerms, 'price' | 'size'> {
  return {
    id: orderHash(order, domainOf({ protocol, negRisk })),
    marketId,
    outcome,
    side: order.side === 'BUY' ? 'buy' : 'sell',
    timeInForce,
    postOnly,
    expiresAt: order.expiration === '0' ? null : new Date(Number(order.expiration) * 1_000),
  };
}

/** Returns what a signed order asks for; the hash is its name at the exchange. */
export function signedTerms(order: SignedOrderDto, life: OrderLife, token: TokenFacts): OrderTerms {
  return { ...hashedTerms(order, life, token), ...amountsOf(order) };
}

/** Money and shares, as a maker signs them. */
export function signedAmounts({ side, makerAmount, takerAmount }: HashedOrder): { money: Decimal; shares: Decimal } {
  const [made, taken] = [scaleDown(makerAmount, CURRENCY_DECIMALS), scaleDown(takerAmount, CURRENCY_DECIMALS)];
  return side === 'BUY' ? { money: made, shares: taken } : { money: taken, shares: made };
}

/** At the smallest tick of the exchange, 0.0001 (polymarket.md 6.2). */
const MOST_SHARES_A_DOLLAR = '10000';

/** What the ledger keeps of an order: a sale costs at most what the other outcome would. */
export function askedOf(terms: OrderTerms, { money, shares }: { money: Decimal; shares: Decimal }): AskedOrder {
  return {
    market_id: terms.marketId,
    outcome_index: terms.outcome.index,
    side: terms.side,
    price: terms.price,
    size: terms.size,
    time_in_force: terms.timeInForce,
    post_only: terms.postOnly,
    money,
    shares,
    cost: terms.side === 'buy' ? money : subtract(shares, money),
    currency: CURRENCY,
    expires_at: terms.expiresAt?.toISOString() ?? null,
    most_size: spendsSum(terms) ? multiply(money, MOST_SHARES_A_DOLLAR) : null,
  };
}

const ORDER_TYPES: Readonly<Record<TimeInForce, string>> = { gtc: 'GTC', gtd: 'GTD', ioc: 'FAK', fok: 'FOK' };

/** Returns the very text that is signed and sent, its fields in the order of the exchange's own client. */
export function toCreateBody(order: SignedOrderDto, { timeInForce, postOnly }: OrderLife, apiKey: Secret): string {
  const { salt, maker, signer, tokenId, makerAmount, takerAmount, side, signatureType } = order;
  const { timestamp, expiration, metadata, builder, signature } = order;
  return JSON.stringify({
    deferExec: false,
    postOnly,
    order: {
      salt,
      maker,
      signer,
      tokenId,
      makerAmount,
      takerAmount,
      side,
      signatureType,
      timestamp,
      expiration,
      metadata,
      builder,
      signature,
    },
    owner: apiKey.reveal(),
    orderType: ORDER_TYPES[timeInForce],
  });
}

/** Price and size of the signed amounts: a BUY pays money for shares, a SELL shares for money (polymarket.md 7.1). */
function amountsOf(order: Pick<SignedOrderDto, 'side' | 'makerAmount' | 'takerAmount'>): {
  price: Decimal;
  size: Decimal;
} {
  const buys = order.side === 'BUY';
  const money = buys ? order.makerAmount : order.takerAmount;
  const shares = buys ? order.takerAmount : order.makerAmount;
  return { price: divide(money, shares), size: scaleDown(shares, CURRENCY_DECIMALS) };
}

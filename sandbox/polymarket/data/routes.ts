import { unixSeconds } from '../../times.js';
import { product } from '../../units.js';
import { type Json } from '../../wire/json.js';
import { type Routes } from '../../wire/router.js';
import { type Exchange } from '../exchange.js';
import { toNumber } from '../format.js';
import { sameAddress } from '../signing/address.js';
import { closedPositionView, heldBy, type HeldPosition, positionView, valueOf } from './position.view.js';
import { badRequest, DataQuery } from './query.js';
import { type PublicTrade, publicTrades, publicTradeView } from './trade.view.js';

/** The fields that `sortBy` names. */
const POSITION_ORDER = {
  CURRENT: 'currentValue',
  INITIAL: 'initialValue',
  TOKENS: 'size',
  CASHPNL: 'cashPnl',
  PERCENTPNL: 'percentPnl',
  TITLE: 'title',
  RESOLVING: 'endDate',
  PRICE: 'curPrice',
  AVGPRICE: 'avgPrice',
};
const CLOSED_ORDER = {
  REALIZEDPNL: 'realizedPnl',
  TITLE: 'title',
  PRICE: 'curPrice',
  AVGPRICE: 'avgPrice',
  TIMESTAMP: 'timestamp',
};
const DIRECTIONS = ['ASC', 'DESC'] as const;
const MAX_OFFSET = 10_000;
const FAR = { max: 999_999_999_999 };

/** The Data API v1: positions and trades of any wallet, public (polymarket.md 6, 8). */
export function dataRoutes(exchange: Exchange): Routes {
  return {
    'GET /': () => ({ data: 'OK' }),
    'GET /value': ({ request }) => getValue(exchange, new DataQuery(request.query)),
    'GET /positions': ({ request }) => listPositions(exchange, new DataQuery(request.query)),
    'GET /closed-positions': ({ request }) => listClosedPositions(exchange, new DataQuery(request.query)),
    'GET /trades': ({ request }) => listTrades(exchange, new DataQuery(request.query)),
  };
}

/** The Data API's `{ error }`. */
export function dataError(status: number): unknown {
  const texts: Readonly<Record<number, string>> = { 404: 'not found', 429: 'Too Many Requests' };
  return { error: texts[status] ?? `status ${status}` };
}

function getValue({ catalogue, ledger }: Exchange, query: DataQuery): unknown {
  const { user } = query;
  const inScope = scopeFilter(query);
  const total = heldBy(catalogue, ledger, user)
    .filter(inScope)
    .reduce((sum, position) => sum + valueOf(position), 0n);
  return [{ user, value: toNumber(total) }];
}

/** Positions of less than `sizeThreshold` shares (by default one) are hidden. */
function listPositions({ catalogue, ledger }: Exchange, query: DataQuery): unknown {
  const { user } = query;
  const held = heldBy(catalogue, ledger, user).filter(({ holding }) => holding.size > 0n);
  const threshold = query.number('sizeThreshold') ?? 1;
  const [redeemable, mergeable] = [query.boolean('redeemable') ?? false, query.boolean('mergeable') ?? false];
  const pairs = new Set(held.map(({ market }) => market).filter((market, at, all) => all.indexOf(market) !== at));
  const views = held
    .filter(scopeFilter(query))
    .filter(({ holding }) => toNumber(holding.size) >= threshold)
    .filter(({ market }) => (!redeemable || market.closed) && (!mergeable || pairs.has(market)))
    .map((position) => positionView(user, position, pairs.has(position.market)));
  const field = query.choice('sortBy', POSITION_ORDER) ?? POSITION_ORDER.TOKENS;
  return paged(sorted(views, field, query), query, { limit: 100, max: 500 });
}

/** Positions that were sold out; those of an unknown wallet are none. */
function listClosedPositions({ catalogue, ledger }: Exchange, query: DataQuery): unknown {
  const { user } = query;
  const field = query.choice('sortBy', CLOSED_ORDER) ?? CLOSED_ORDER.REALIZEDPNL;
  const views = heldBy(catalogue, ledger, user)
    .filter(({ holding }) => holding.size === 0n && holding.bought > 0n)
    .filter(scopeFilter(query))
    .map((position) => closedPositionView(user, position));
  return paged(sorted(views, field, query), query, { limit: 10, max: 50, maxOffset: 100_000 });
}

/** Newest first; by default the takers' sides alone. */
function listTrades(exchange: Exchange, query: DataQuery): unknown {
  const fits = tradeFilter(query);
  const views = publicTrades(exchange).filter(fits).map(publicTradeView);
  return paged(views, query, { limit: 100, max: 10_000 });
}

function tradeFilter(query: DataQuery): (trade: PublicTrade) => boolean {
  const { optionalUser: user } = query;
  const { conditions, events } = query.scope;
  const side = query.oneOf('side', ['BUY', 'SELL']);
  const takerOnly = query.boolean('takerOnly') ?? true;
  const [start, end] = [query.whole('start', 0, FAR), query.whole('end', FAR.max, FAR)];
  const isLarge = amountFilter(query);
  return (trade) => {
    const at = unixSeconds(trade.at);
    const tests = [
      user === undefined || sameAddress(trade.wallet, user),
      conditions?.has(trade.market.conditionId) !== false,
      events?.has(trade.market.event.id) !== false,
      side === undefined || trade.side === side,
      trade.isTaker || !takerOnly,
      at >= start && at <= end,
      isLarge(trade),
    ];
    return tests.every(Boolean);
  };
}

function amountFilter(query: DataQuery): (trade: PublicTrade) => boolean {
  const type = query.oneOf('filterType', ['CASH', 'TOKENS']);
  const amount = query.number('filterAmount');
  if ((type === undefined) !== (amount === undefined)) {
    throw badRequest('filterType and filterAmount must be provided together');
  }
  if (type === undefined || amount === undefined) return () => true;
  return ({ price, size }) => toNumber(type === 'CASH' ? product(price, size) : size) >= amount;
}

function scopeFilter(query: DataQuery): (position: HeldPosition) => boolean {
  const { conditions, events } = query.scope;
  return ({ market }) =>
    conditions?.has(market.conditionId) !== false &&
    events?.has(market.event.id) !== false &&
    market.seed.question.toLowerCase().includes(query.title);
}

function sorted(views: Json[], field: string, query: DataQuery): Json[] {
  const ascending = query.oneOf('sortDirection', DIRECTIONS) === 'ASC';
  return views.sort((one, other) => {
    const [left, right] = [one[field], other[field]];
    const order = typeof left === 'string' ? left.localeCompare(String(right)) : Number(left) - Number(right);
    return ascending ? order : -order;
  });
}

interface Paging {
  limit: number;
  max: number;
  maxOffset?: number;
}

/** The limit is cut to its maximum, an offset above its own is refused. */
function paged(views: unknown[], query: DataQuery, { limit, max, maxOffset = MAX_OFFSET }: Paging): unknown[] {
  const offset = query.whole('offset', 0, { max: maxOffset, strict: true });
  return views.slice(offset, offset + query.whole('limit', limit, { max }));
}

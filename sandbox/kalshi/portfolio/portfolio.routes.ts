import { type WireResponse } from '../../wire/server.js';
import { type Account } from '../account.js';
import { MILLION } from '../units.js';
import { refusal } from '../refusals.js';
import { type KalshiExchange } from '../exchange.js';
import { ok } from '../markets/market.routes.js';
import {
  type PlacedHolding,
  toBalanceJson,
  toEventPositionsJson,
  toFillJson,
  toOrderJson,
  toPositionJson,
  toSettlementJson,
} from './portfolio.view.js';
import { ofTicker, paged, Query, withinTimes } from '../query.js';
import { type Router, type SignedCall } from '../router.js';

/** Page sizes of the member's own lists. */
export const PORTFOLIO_PAGE = { default: 100, max: 1_000 } as const;

/** The member's balance, orders, fills, positions and settlements (kalshi.md 5): signed reads of the live data. */
export function addPortfolioRoutes(router: Router, exchange: KalshiExchange): void {
  router.signed('GET', '/portfolio/balance', (call) => getBalance(exchange, call));
  router.signed('GET', '/portfolio/orders', (call) => listOrders(exchange, call));
  router.signed('GET', '/portfolio/orders/*', (call) => getOrder(exchange, call));
  router.signed('GET', '/portfolio/fills', (call) => listFills(exchange, call));
  router.signed('GET', '/portfolio/positions', (call) => listPositions(exchange, call));
  router.signed('GET', '/portfolio/settlements', listSettlements);
}

/** The portfolio is valued at last prices. */
function getBalance(exchange: KalshiExchange, { account }: SignedCall): WireResponse {
  const lastPrice = (ticker: string): bigint => exchange.markets.get(ticker)?.lastTrade?.price ?? 0n;
  const worth = account.portfolioValue(lastPrice, MILLION);
  return ok(toBalanceJson(exchange.available(account), worth, account.updatedAt));
}

function listOrders(exchange: KalshiExchange, { account, request }: SignedCall): WireResponse {
  const query = new Query('GetOrders', request.query);
  const status = query.oneOf('status', ['resting', 'canceled', 'executed']);
  const events = query.list('event_ticker', 10);
  const orders = [...account.orders.values()]
    .reverse()
    .filter((order) => !exchange.isArchivedOrder(order))
    .filter(ofTicker(query))
    .filter(withinTimes(query, (order) => order.createdAt))
    .filter((order) => status === undefined || order.status === status)
    .filter((order) => events === undefined || events.includes(exchange.eventOf(order.ticker)));
  const { page, cursor } = paged(orders, query, { ...PORTFOLIO_PAGE, id: (order) => order.id });
  return ok({ orders: page.map((order) => toOrderJson(order, account.userId)), cursor });
}

function getOrder(exchange: KalshiExchange, { account, path }: SignedCall): WireResponse {
  const order = account.orders.get(path[0] ?? '');
  if (order === undefined || exchange.isArchivedOrder(order)) throw refusal(404, 'not_found');
  return ok({ order: toOrderJson(order, account.userId) });
}

function listFills(exchange: KalshiExchange, { account, request }: SignedCall): WireResponse {
  const query = new Query('GetFills', request.query);
  const orderId = query.text('order_id');
  const fills = [...account.fills]
    .reverse()
    .filter((fill) => fill.at >= exchange.cutoff)
    .filter(ofTicker(query))
    .filter(withinTimes(query, (fill) => fill.at))
    .filter((fill) => orderId === undefined || fill.orderId === orderId);
  const { page, cursor } = paged(fills, query, { ...PORTFOLIO_PAGE, id: (fill) => `${fill.id} ${fill.orderId}` });
  return ok({ fills: page.map(toFillJson), cursor });
}

/** Unsettled holdings only; those sold off again stay listed unless `count_filter` asks for more. */
function listPositions(exchange: KalshiExchange, { account, request }: SignedCall): WireResponse {
  const query = new Query('GetPositions', request.query);
  const filters = query.list('count_filter') ?? [];
  if (filters.some((name) => name !== 'position' && name !== 'total_traded'))
    throw query.conflict("count_filter takes 'position' and 'total_traded'");
  const event = query.text('event_ticker');
  const positions = placedHoldings(exchange, account)
    .filter(ofTicker(query))
    .filter(({ eventTicker }) => event === undefined || eventTicker === event)
    .filter(({ holding }) => !filters.includes('position') || holding.position !== 0n)
    .filter(({ holding }) => !filters.includes('total_traded') || holding.totalTraded !== 0n);
  return ok(positionsPage(positions, query));
}

/** `GetPositionsResponse` for one page of holdings. */
export function positionsPage(positions: PlacedHolding[], query: Query) {
  const { page, cursor } = paged(positions, query, { ...PORTFOLIO_PAGE, id: ({ ticker }) => ticker });
  return { cursor, market_positions: page.map(toPositionJson), event_positions: toEventPositionsJson(page) };
}

function placedHoldings(exchange: KalshiExchange, account: Account): PlacedHolding[] {
  return [...account.holdings].map(([ticker, holding]) => ({
    ticker,
    eventTicker: exchange.eventOf(ticker),
    holding,
  }));
}

function listSettlements({ account, request }: SignedCall): WireResponse {
  const query = new Query('GetSettlements', request.query);
  const event = query.text('event_ticker');
  const settlements = [...account.settlements]
    .reverse()
    .filter(ofTicker(query))
    .filter(withinTimes(query, (settlement) => settlement.at))
    .filter((settlement) => event === undefined || settlement.eventTicker === event);
  const { page, cursor } = paged(settlements, query, { ...PORTFOLIO_PAGE, id: ({ ticker }) => ticker });
  return ok({ settlements: page.map(toSettlementJson), cursor });
}

import { type Routes } from '../../wire/router.js';
import { signed, type SignedCall, subaccountOf } from '../auth.js';
import { type Exchange } from '../exchange.js';
import { READ } from '../keys/scopes.js';
import { paged } from '../pages.js';
import { KalshiQuery, ofShard, ofSubaccount, ofTicker, withinTimes } from '../query.js';
import { refusal } from '../refusals.js';
import { type Subaccount } from '../subaccount.js';
import { orderIdOf } from './order.routes.js';
import {
  type PlacedHolding,
  toEventPositionsJson,
  toFillJson,
  toOrderJson,
  toPositionJson,
  toSettlementJson,
} from './portfolio.view.js';

/** `ticker` of the fills takes so many (kalshi-2026.md 6). */
const MAX_TICKERS = 100;

/** Page sizes of the member's own lists. */
export const PORTFOLIO_PAGE = { default: 100, max: 1_000 } as const;

/** The member's orders, fills, positions and settlements (kalshi.md 5): signed reads of the live data. */
export function portfolioRoutes(exchange: Exchange): Routes {
  return signed(exchange.keys, READ, {
    'GET /portfolio/orders': (call) => listOrders(exchange, call),
    'GET /portfolio/orders/:id': (call) => getOrder(exchange, call),
    'GET /portfolio/fills': (call) => listFills(exchange, call),
    'GET /portfolio/positions': (call) => listPositions(exchange, call),
    'GET /portfolio/settlements': listSettlements,
  });
}

function listOrders(exchange: Exchange, call: SignedCall): unknown {
  const { account, request } = call;
  const query = new KalshiQuery('GetOrders', request.query);
  const status = query.oneOf('status', ['resting', 'canceled', 'executed']);
  const events = query.list('event_ticker', 10);
  const orders = [...account.orders.values()]
    .reverse()
    .filter((order) => !exchange.isArchivedOrder(order))
    .filter(ofSubaccount(subaccountOf(call, query.subaccount(), undefined)))
    .filter(ofShard(query))
    .filter(ofTicker(query))
    .filter(withinTimes(query, (order) => order.createdAt))
    .filter((order) => status === undefined || order.status === status)
    .filter((order) => events === undefined || events.includes(exchange.placeOf(order.ticker).eventTicker));
  const { page, cursor } = paged(orders, query, { ...PORTFOLIO_PAGE, id: (order) => order.id });
  return { orders: page.map((order) => toOrderJson(order, account.userId)), cursor };
}

/** On shard 0 where nothing says which; of any subaccount that the key may see. */
function getOrder(exchange: Exchange, call: SignedCall): unknown {
  const { account, request, params } = call;
  const shard = exchange.route(new KalshiQuery('GetOrder', request.query).route());
  const order = exchange.find(account, { orderId: orderIdOf(params), shard });
  const isOwn = ofSubaccount(subaccountOf(call, undefined, undefined));
  if (order === undefined || !isOwn(order)) throw refusal(404, 'not_found');
  return { order: toOrderJson(order, account.userId) };
}

function listFills(exchange: Exchange, call: SignedCall): unknown {
  const { account, request } = call;
  const query = new KalshiQuery('GetFills', request.query);
  const orderId = query.text('order_id');
  const tickers = query.list('ticker', MAX_TICKERS);
  const fills = account.fills
    .toReversed()
    .filter((fill) => fill.at >= exchange.cutoff)
    .filter(ofSubaccount(subaccountOf(call, query.subaccount(), undefined)))
    .filter(ofShard(query))
    .filter(({ ticker }) => tickers === undefined || tickers.includes(ticker))
    .filter(withinTimes(query, (fill) => fill.at))
    .filter((fill) => orderId === undefined || fill.orderId === orderId);
  const { page, cursor } = paged(fills, query, { ...PORTFOLIO_PAGE, id: (fill) => `${fill.id} ${fill.orderId}` });
  return { fills: page.map(toFillJson), cursor };
}

/** Unsettled holdings only; those sold off again stay listed unless `count_filter` asks for more. */
function listPositions(exchange: Exchange, call: SignedCall): unknown {
  const { account, request } = call;
  const query = new KalshiQuery('GetPositions', request.query);
  const filters = query.list('count_filter') ?? [];
  if (filters.some((name) => name !== 'position' && name !== 'total_traded'))
    throw query.conflict("count_filter takes 'position' and 'total_traded'");
  const event = query.text('event_ticker');
  const positions = placedHoldings(exchange, account.subaccount(subaccountOf(call, query.subaccount(), 0)))
    .filter(ofShard(query))
    .filter(ofTicker(query))
    .filter(({ eventTicker }) => event === undefined || eventTicker === event)
    .filter(({ holding }) => !filters.includes('position') || holding.position !== 0n)
    .filter(({ holding }) => !filters.includes('total_traded') || holding.totalTraded !== 0n);
  return positionsPage(positions, query);
}

/** `GetPositionsResponse` for one page of holdings. */
export function positionsPage(positions: PlacedHolding[], query: KalshiQuery) {
  const { page, cursor } = paged(positions, query, { ...PORTFOLIO_PAGE, id: ({ ticker }) => ticker });
  return { cursor, market_positions: page.map(toPositionJson), event_positions: toEventPositionsJson(page) };
}

function placedHoldings(exchange: Exchange, subaccount: Subaccount | undefined): PlacedHolding[] {
  return [...(subaccount?.holdings ?? [])].map(([ticker, holding]) => ({
    ticker,
    ...exchange.placeOf(ticker),
    holding,
  }));
}

function listSettlements(call: SignedCall): unknown {
  const { account, request } = call;
  const query = new KalshiQuery('GetSettlements', request.query);
  const event = query.text('event_ticker');
  const settlements = account.settlements
    .toReversed()
    .filter(ofSubaccount(subaccountOf(call, query.subaccount(), undefined)))
    .filter(ofTicker(query))
    .filter(withinTimes(query, (settlement) => settlement.at))
    .filter((settlement) => event === undefined || settlement.eventTicker === event);
  const { page, cursor } = paged(settlements, query, { ...PORTFOLIO_PAGE, id: ({ ticker }) => ticker });
  return { settlements: page.map(toSettlementJson), cursor };
}

import { type Routes } from '../../wire/router.js';
import { signed, type SignedCall, subaccountOf } from '../auth.js';
import { type Exchange } from '../exchange.js';
import { READ } from '../keys/scopes.js';
import { paged } from '../pages.js';
import { KalshiQuery, ofShard, ofSubaccount, ofTicker, withinTimes } from '../query.js';
import { refusal } from '../refusals.js';
import { orderIdOf } from './order-request.js';
import { toFillJson, toOrderJson, toSettlementJson } from './portfolio.view.js';

/** `ticker` of the fills takes so many (kalshi.md 7.1). */
const MAX_TICKERS = 100;

/** Page sizes of the member's own lists. */
export const PORTFOLIO_PAGE = { default: 100, max: 1_000 } as const;

/** The member's orders, fills and settlements (kalshi.md 5.2, 7): signed reads of the live data. */
export function portfolioRoutes(exchange: Exchange): Routes {
  return signed(exchange.keys, READ, {
    'GET /portfolio/orders': (call) => listOrders(exchange, call),
    'GET /portfolio/orders/:id': (call) => getOrder(exchange, call),
    'GET /portfolio/fills': (call) => listFills(exchange, call),
    'GET /portfolio/settlements': (call) => listSettlements(exchange, call),
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

/** The live part; what is archived has no twin under `/historical` (kalshi.md 8). */
function listSettlements(exchange: Exchange, call: SignedCall): unknown {
  const { account, request } = call;
  const query = new KalshiQuery('GetSettlements', request.query);
  const event = query.text('event_ticker');
  const settlements = account.settlements
    .toReversed()
    .filter(({ eventTicker }) => !exchange.isArchivedEvent(eventTicker))
    .filter(ofSubaccount(subaccountOf(call, query.subaccount(), undefined)))
    .filter(ofTicker(query))
    .filter(withinTimes(query, (settlement) => settlement.at))
    .filter((settlement) => event === undefined || settlement.eventTicker === event);
  const { page, cursor } = paged(settlements, query, {
    ...PORTFOLIO_PAGE,
    id: ({ ticker, subaccount }) => `${ticker} ${subaccount}`,
  });
  return { settlements: page.map(toSettlementJson), cursor };
}

import { isoSeconds } from '../../times.js';
import { type Call, type Routes } from '../../wire/router.js';
import { signed, type SignedCall, subaccountOf } from '../auth.js';
import { type Exchange } from '../exchange.js';
import { READ } from '../keys/scopes.js';
import { type Market } from '../market.js';
import { candlesOf, toHistoricalCandleJson } from '../markets/candlesticks.js';
import { tickerFilter } from '../markets/market.filter.js';
import { MARKET_PAGE } from '../markets/market.routes.js';
import { toMarketJson } from '../markets/market.view.js';
import { candleWindow, listTrades } from '../markets/trade.routes.js';
import { paged } from '../pages.js';
import { PORTFOLIO_PAGE } from '../portfolio/portfolio.routes.js';
import { toFillJson, toOrderJson } from '../portfolio/portfolio.view.js';
import { KalshiQuery, ofSubaccount, ofTicker, withinTimes } from '../query.js';
import { refusal } from '../refusals.js';

/** What is older than the cutoff (kalshi.md 8). */
export function historyRoutes(exchange: Exchange): Routes {
  return {
    'GET /historical/cutoff': () => cutoffs(exchange),
    'GET /historical/markets': (call) => listMarkets(exchange, call),
    'GET /historical/markets/:ticker': ({ params, now }) => ({
      market: toMarketJson(archived(exchange, params.ticker), now),
    }),
    'GET /historical/markets/:ticker/candlesticks': (call) => listCandles(exchange, call),
    'GET /historical/trades': (call) => listTrades(exchange, call, 'archived'),
    ...signed(exchange.keys, READ, {
      'GET /historical/orders': (call) => listOrders(exchange, call),
      'GET /historical/fills': (call) => listFills(exchange, call),
    }),
  };
}

function cutoffs(exchange: Exchange): unknown {
  const cutoff = isoSeconds(exchange.cutoff);
  return {
    market_settled_ts: cutoff,
    trades_created_ts: cutoff,
    orders_updated_ts: isoSeconds(exchange.orderCutoff),
    market_positions_last_updated_ts: cutoff,
  };
}

function archived(exchange: Exchange, ticker = ''): Market {
  const market = exchange.markets.get(ticker);
  if (market?.isArchived(exchange.cutoff) !== true) throw refusal(404, 'not_found');
  return market;
}

function listMarkets(exchange: Exchange, { request, now }: Call): unknown {
  const query = new KalshiQuery('GetHistoricalMarkets', request.query);
  query.oneOf('mve_filter', ['exclude']);
  if (['tickers', 'event_ticker', 'series_ticker'].filter((name) => query.text(name) !== undefined).length > 1)
    throw query.conflict('filters are mutually exclusive');
  const markets = [...exchange.markets.values()]
    .filter((market) => market.isArchived(exchange.cutoff))
    .filter(tickerFilter(query));
  const { page, cursor } = paged(markets, query, { ...MARKET_PAGE, id: (market) => market.ticker });
  return { markets: page.map((market) => toMarketJson(market, now)), cursor };
}

function listCandles(exchange: Exchange, { params, request }: Call): unknown {
  const market = archived(exchange, params.ticker);
  const window = candleWindow(new KalshiQuery('GetMarketCandlesticksHistorical', request.query));
  return { ticker: market.ticker, candlesticks: candlesOf(market, window).map(toHistoricalCandleJson) };
}

function listOrders(exchange: Exchange, call: SignedCall): unknown {
  const { account, request } = call;
  const query = new KalshiQuery('GetHistoricalOrders', request.query);
  const orders = [...account.orders.values()]
    .reverse()
    .filter((order) => exchange.isArchivedOrder(order))
    .filter(ofSubaccount(subaccountOf(call, query.subaccount(), undefined)))
    .filter(ofTicker(query))
    .filter(withinTimes(query, (order) => order.updatedAt));
  const { page, cursor } = paged(orders, query, { ...PORTFOLIO_PAGE, id: (order) => order.id });
  return { orders: page.map((order) => toOrderJson(order, account.userId)), cursor };
}

function listFills(exchange: Exchange, call: SignedCall): unknown {
  const { account, request } = call;
  const query = new KalshiQuery('GetFillsHistorical', request.query);
  const fills = account.fills
    .toReversed()
    .filter((fill) => fill.at < exchange.cutoff)
    .filter(ofSubaccount(subaccountOf(call, query.subaccount(), undefined)))
    .filter(ofTicker(query))
    .filter(withinTimes(query, (fill) => fill.at));
  const { page, cursor } = paged(fills, query, { ...PORTFOLIO_PAGE, id: (fill) => fill.id });
  return { fills: page.map(toFillJson), cursor };
}

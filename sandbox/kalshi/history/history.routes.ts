import { type WireResponse } from '../../wire/server.js';
import { candlesOf, type CandleWindow, toCandleJson, toHistoricalCandleJson } from '../markets/candlesticks.js';
import { badParameter, refusal } from '../refusals.js';
import { type KalshiExchange } from '../exchange.js';
import { live, MARKET_PAGE, ok } from '../markets/market.routes.js';
import { tickerFilter } from '../markets/market.filter.js';
import { type KalshiMarket, type TradeRecord } from '../market.js';
import { toMarketJson, toOrderbookJson, toTradeJson } from '../markets/market.view.js';
import { PORTFOLIO_PAGE, positionsPage } from '../portfolio/portfolio.routes.js';
import { toFillJson, toOrderJson } from '../portfolio/portfolio.view.js';
import { ofTicker, paged, Query, withinTimes } from '../query.js';
import { type Call, type Router, type SignedCall } from '../router.js';
import { isoSeconds } from '../../times.js';

const MAX_CANDLES = 5_000;
const MAX_BATCH_CANDLES = 10_000;
const MAX_TICKERS = 100;

/** Books of several markets, public trades, candlesticks and the exchange's status. Before `/markets/*`. */
export function addTradeRoutes(router: Router, exchange: KalshiExchange): void {
  router.open('GET', '/exchange/status', () =>
    ok({ exchange_active: true, trading_active: exchange.tradingActive, intra_exchange_transfers_active: true }),
  );
  router.open('GET', '/markets/orderbooks', (call) => listOrderbooks(exchange, call));
  router.open('GET', '/markets/trades', (call) => listTrades(exchange, call, 'live'));
  router.open('GET', '/markets/candlesticks', (call) => batchCandlesticks(exchange, call));
  router.open('GET', '/series/*/markets/*/candlesticks', (call) => candlesticks(exchange, call));
}

/** What is older than the cutoff (kalshi.md 7). */
export function addHistoricalRoutes(router: Router, exchange: KalshiExchange): void {
  router.open('GET', '/historical/cutoff', () => ok(cutoffs(exchange)));
  router.open('GET', '/historical/markets', (call) => listArchived(exchange, call));
  router.open('GET', '/historical/markets/*', ({ path, now }) =>
    ok({ market: toMarketJson(archived(exchange, path[0]), now) }),
  );
  router.open('GET', '/historical/markets/*/candlesticks', (call) => archivedCandlesticks(exchange, call));
  router.open('GET', '/historical/trades', (call) => listTrades(exchange, call, 'archived'));
  router.signed('GET', '/historical/orders', (call) => archivedOrders(exchange, call));
  router.signed('GET', '/historical/fills', (call) => archivedFills(exchange, call));
  router.signed('GET', '/historical/positions', (call) => archivedPositions(exchange, call));
}

function listOrderbooks(exchange: KalshiExchange, { request }: Call): WireResponse {
  const tickers = new Query('GetMarketOrderbooks', request.query).repeated('tickers', MAX_TICKERS);
  return ok({
    orderbooks: found(exchange, tickers).map((market) => ({
      ticker: market.ticker,
      orderbook_fp: toOrderbookJson(market, 0),
    })),
  });
}

/** Newest first. */
function listTrades(exchange: KalshiExchange, { request }: Call, age: 'live' | 'archived'): WireResponse {
  const query = new Query('GetTrades', request.query);
  const isBlock = query.boolean('is_block_trade');
  const trades = [...exchange.markets.values()]
    .filter(ofTicker(query))
    .flatMap((market) => market.trades.toReversed())
    .filter((trade: TradeRecord) => trade.at < exchange.cutoff === (age === 'archived'))
    .filter(withinTimes(query, (trade) => trade.at))
    .filter((trade) => isBlock === undefined || trade.isBlock === isBlock)
    .sort((a, b) => b.at - a.at);
  const { page, cursor } = paged(trades, query, { ...MARKET_PAGE, id: (trade) => trade.id });
  return ok({ trades: page.map(toTradeJson), cursor });
}

/** The series segment is not looked at (kalshi.md 4). */
function candlesticks(exchange: KalshiExchange, { path, request }: Call): WireResponse {
  const market = live(exchange, path[1]);
  const window = candleWindow(new Query('GetMarketCandlesticks', request.query), MAX_CANDLES, 1);
  return ok({ ticker: market.ticker, candlesticks: candlesOf(market, window).map(toCandleJson) });
}

function batchCandlesticks(exchange: KalshiExchange, { request }: Call): WireResponse {
  const query = new Query('BatchGetMarketCandlesticks', request.query);
  query.required('market_tickers');
  const tickers = query.list('market_tickers', MAX_TICKERS) ?? [];
  const window = candleWindow(query, MAX_BATCH_CANDLES, tickers.length);
  return ok({
    markets: found(exchange, tickers).map((market) => ({
      market_ticker: market.ticker,
      candlesticks: candlesOf(market, window).map(toCandleJson),
    })),
  });
}

function archivedCandlesticks(exchange: KalshiExchange, { path, request }: Call): WireResponse {
  const market = archived(exchange, path[0]);
  const window = candleWindow(new Query('GetMarketCandlesticksHistorical', request.query), MAX_CANDLES, 1);
  return ok({ ticker: market.ticker, candlesticks: candlesOf(market, window).map(toHistoricalCandleJson) });
}

/** The window of candles, refused where it may hold more than `max` of them. */
function candleWindow(query: Query, max: number, markets: number): CandleWindow {
  const start = query.requiredInteger('start_ts');
  const end = query.requiredInteger('end_ts');
  query.required('period_interval');
  const period = Number(query.oneOf('period_interval', ['1', '60', '1440'])) * 60;
  if (end < start) throw badParameter('end_ts must be after start_ts');
  if (((end - start) / period) * markets > max) throw refusal(400, 'bad_request', `max candlesticks: ${max}`);
  return { start, end, period, includeLatestBefore: query.boolean('include_latest_before_start') === true };
}

/** The live markets of the given tickers, once each; unknown ones are left out. */
function found(exchange: KalshiExchange, tickers: string[]): KalshiMarket[] {
  return [...new Set(tickers)].map((ticker) => exchange.liveMarket(ticker)).filter((market) => market !== undefined);
}

function cutoffs(exchange: KalshiExchange) {
  const cutoff = isoSeconds(exchange.cutoff);
  return {
    market_settled_ts: cutoff,
    trades_created_ts: cutoff,
    orders_updated_ts: cutoff,
    market_positions_last_updated_ts: cutoff,
  };
}

function archived(exchange: KalshiExchange, ticker = ''): KalshiMarket {
  const market = exchange.markets.get(ticker);
  if (market?.isArchived(exchange.cutoff) !== true) throw refusal(404, 'not_found');
  return market;
}

function listArchived(exchange: KalshiExchange, { request, now }: Call): WireResponse {
  const query = new Query('GetHistoricalMarkets', request.query);
  query.oneOf('mve_filter', ['exclude']);
  if (['tickers', 'event_ticker', 'series_ticker'].filter((name) => query.text(name) !== undefined).length > 1)
    throw query.conflict('filters are mutually exclusive');
  const markets = [...exchange.markets.values()]
    .filter((market) => market.isArchived(exchange.cutoff))
    .filter(tickerFilter(query));
  const { page, cursor } = paged(markets, query, { ...MARKET_PAGE, id: (market) => market.ticker });
  return ok({ markets: page.map((market) => toMarketJson(market, now)), cursor });
}

function archivedOrders(exchange: KalshiExchange, { account, request }: SignedCall): WireResponse {
  const query = new Query('GetHistoricalOrders', request.query);
  const orders = [...account.orders.values()]
    .reverse()
    .filter((order) => exchange.isArchivedOrder(order))
    .filter(ofTicker(query))
    .filter(withinTimes(query, (order) => order.updatedAt));
  const { page, cursor } = paged(orders, query, { ...PORTFOLIO_PAGE, id: (order) => order.id });
  return ok({ orders: page.map((order) => toOrderJson(order, account.userId)), cursor });
}

function archivedFills(exchange: KalshiExchange, { account, request }: SignedCall): WireResponse {
  const query = new Query('GetFillsHistorical', request.query);
  const fills = [...account.fills]
    .reverse()
    .filter((fill) => fill.at < exchange.cutoff)
    .filter(ofTicker(query))
    .filter(withinTimes(query, (fill) => fill.at));
  const { page, cursor } = paged(fills, query, { ...PORTFOLIO_PAGE, id: (fill) => fill.id });
  return ok({ fills: page.map(toFillJson), cursor });
}

function archivedPositions(exchange: KalshiExchange, { account, request }: SignedCall): WireResponse {
  const query = new Query('GetHistoricalPositions', request.query);
  const event = query.text('event_ticker');
  const positions = account.settlements
    .filter((settlement) => settlement.at < exchange.cutoff)
    .filter(ofTicker(query))
    .filter(({ eventTicker }) => event === undefined || eventTicker === event);
  return ok(positionsPage(positions, query));
}

import { type Call, Reply, type Routes } from '../../wire/router.js';
import { type Exchange } from '../exchange.js';
import { type Market } from '../market.js';
import { paged } from '../pages.js';
import { ofTicker, KalshiQuery, withinTimes } from '../query.js';
import { badParameter, refusal } from '../refusals.js';
import { type ShardState } from '../shards.js';
import { candlesOf, type CandleWindow, toCandleJson } from './candlesticks.js';
import { live, MARKET_PAGE } from './market.routes.js';
import { toOrderbookJson, toTradeJson } from './market.view.js';

const MAX_CANDLES = 5_000;
const MAX_BATCH_CANDLES = 10_000;
const MAX_TICKERS = 100;

/** Books of several markets, public trades, candlesticks and the exchange's status. Before `/markets/:ticker`. */
export function tradeRoutes(exchange: Exchange): Routes {
  return {
    'GET /exchange/status': () => exchangeStatus(exchange),
    'GET /markets/orderbooks': (call) => listOrderbooks(exchange, call),
    'GET /markets/trades': (call) => listTrades(exchange, call, 'live'),
    'GET /markets/candlesticks': (call) => listBatchCandles(exchange, call),
    'GET /series/:series/markets/:ticker/candlesticks': (call) => listCandles(exchange, call),
  };
}

/** The top level speaks for shard 0; while that one is down the status is 503 with the same body (kalshi.md 9.5). */
function exchangeStatus({ shards }: Exchange): Reply {
  const statuses = shards.list().map((shard) => ({ shard, flags: toFlags(shard) }));
  const [first] = statuses;
  return new Reply(first?.shard.exchangeActive === true ? 200 : 503, {
    ...first?.flags,
    exchange_index_statuses: statuses.map(({ shard: { index, description }, flags }) => ({
      exchange_index: index,
      description,
      ...flags,
    })),
  });
}

function toFlags({ exchangeActive, tradingActive, transfersActive }: ShardState) {
  return {
    exchange_active: exchangeActive,
    trading_active: exchangeActive && tradingActive,
    intra_exchange_transfers_active: exchangeActive && transfersActive,
  };
}

function listOrderbooks(exchange: Exchange, { request }: Call): unknown {
  const tickers = new KalshiQuery('GetMarketOrderbooks', request.query).repeated('tickers', MAX_TICKERS);
  const orderbooks = found(exchange, tickers).map((market) => ({
    ticker: market.ticker,
    orderbook_fp: toOrderbookJson(market, 0),
  }));
  return { orderbooks };
}

/** Newest first. */
export function listTrades(exchange: Exchange, { request }: Call, age: 'live' | 'archived'): unknown {
  const query = new KalshiQuery('GetTrades', request.query);
  const isBlock = query.boolean('is_block_trade');
  const trades = [...exchange.markets.values()]
    .filter(ofTicker(query))
    .flatMap((market) => market.trades.toReversed())
    .filter((trade) => trade.at < exchange.cutoff === (age === 'archived'))
    .filter(withinTimes(query, (trade) => trade.at))
    .filter((trade) => isBlock === undefined || trade.isBlock === isBlock)
    .sort((a, b) => b.at - a.at);
  const { page, cursor } = paged(trades, query, { ...MARKET_PAGE, id: (trade) => trade.id });
  return { trades: page.map(toTradeJson), cursor };
}

/** The series segment is not looked at (kalshi.md 4). */
function listCandles(exchange: Exchange, { params, request }: Call): unknown {
  const market = live(exchange, params.ticker);
  const window = candleWindow(new KalshiQuery('GetMarketCandlesticks', request.query));
  return { ticker: market.ticker, candlesticks: candlesOf(market, window).map(toCandleJson) };
}

function listBatchCandles(exchange: Exchange, { request }: Call): unknown {
  const query = new KalshiQuery('BatchGetMarketCandlesticks', request.query);
  query.required('market_tickers');
  const tickers = query.list('market_tickers', MAX_TICKERS) ?? [];
  const window = candleWindow(query, MAX_BATCH_CANDLES, tickers.length);
  const markets = found(exchange, tickers).map((market) => ({
    market_ticker: market.ticker,
    candlesticks: candlesOf(market, window).map(toCandleJson),
  }));
  return { markets };
}

/** The window of candles, refused where it may hold more than `max` of them. */
export function candleWindow(query: KalshiQuery, max = MAX_CANDLES, markets = 1): CandleWindow {
  const start = query.requiredInteger('start_ts');
  const end = query.requiredInteger('end_ts');
  query.required('period_interval');
  const period = Number(query.oneOf('period_interval', ['1', '60', '1440'])) * 60;
  if (end < start) throw badParameter('end_ts must be after start_ts');
  if (((end - start) / period) * markets > max) throw refusal(400, 'bad_request', `max candlesticks: ${max}`);
  return { start, end, period, includeLatestBefore: query.boolean('include_latest_before_start') === true };
}

/** The live markets of the given tickers, once each; unknown ones are left out. */
function found(exchange: Exchange, tickers: string[]): Market[] {
  return [...new Set(tickers)].map((ticker) => exchange.liveMarket(ticker)).filter((market) => market !== undefined);
}

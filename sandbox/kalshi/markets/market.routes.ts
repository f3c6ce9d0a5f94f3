import { type WireResponse } from '../../wire/server.js';
import { refusal } from '../refusals.js';
import { type KalshiExchange } from '../exchange.js';
import { marketFilter } from './market.filter.js';
import { type KalshiMarket } from '../market.js';
import { toMarketJson, toOrderbookJson } from './market.view.js';
import { paged, Query } from '../query.js';
import { type Call, type Router } from '../router.js';

/** Markets and their books (kalshi.md 4): public, the order book included. */
export function addMarketRoutes(router: Router, exchange: KalshiExchange): void {
  router.open('GET', '/markets', (call) => listMarkets(exchange, call));
  router.open('GET', '/markets/*', ({ path, now }) => ok({ market: toMarketJson(live(exchange, path[0]), now) }));
  router.open('GET', '/markets/*/orderbook', ({ path, request }) => {
    const market = live(exchange, path[0]);
    const depth = new Query('GetMarketOrderbook', request.query).within('depth', [0, 100], 0);
    return ok({ orderbook_fp: toOrderbookJson(market, depth) });
  });
}

function listMarkets(exchange: KalshiExchange, { request, now }: Call): WireResponse {
  const query = new Query('GetMarkets', request.query);
  const matching = exchange.liveMarkets().filter(marketFilter(query, now));
  const { page, cursor } = paged(matching, query, { ...MARKET_PAGE, id: (market) => market.ticker });
  return ok({ markets: page.map((market) => toMarketJson(market, now)), cursor });
}

/** Page sizes of market lists and trades. */
export const MARKET_PAGE = { default: 100, max: 1_000, min: 0 } as const;

export function ok(body: unknown): WireResponse {
  return { status: 200, body };
}

/** A market of the live endpoints, or a 404 refusal. */
export function live(exchange: KalshiExchange, ticker = ''): KalshiMarket {
  const market = exchange.liveMarket(ticker);
  if (market === undefined) throw refusal(404, 'not_found');
  return market;
}

import { type Call, type Routes } from '../../wire/router.js';
import { type Exchange } from '../exchange.js';
import { type Market } from '../market.js';
import { paged } from '../pages.js';
import { KalshiQuery } from '../query.js';
import { refusal } from '../refusals.js';
import { marketFilter } from './market.filter.js';
import { toMarketJson, toOrderbookJson } from './market.view.js';

/** Markets and their books (kalshi.md 4): public, the order book included. */
export function marketRoutes(exchange: Exchange): Routes {
  return {
    'GET /markets': (call) => listMarkets(exchange, call),
    'GET /markets/:ticker': ({ params, now }) => ({ market: toMarketJson(live(exchange, params.ticker), now) }),
    'GET /markets/:ticker/orderbook': ({ params, request }) => {
      const market = live(exchange, params.ticker);
      const depth = new KalshiQuery('GetMarketOrderbook', request.query).within('depth', [0, 100], 0);
      return { orderbook_fp: toOrderbookJson(market, depth) };
    },
  };
}

function listMarkets(exchange: Exchange, { request, now }: Call): unknown {
  const query = new KalshiQuery('GetMarkets', request.query);
  const matching = exchange.liveMarkets().filter(marketFilter(query, now));
  const { page, cursor } = paged(matching, query, { ...MARKET_PAGE, id: (market) => market.ticker });
  return { markets: page.map((market) => toMarketJson(market, now)), cursor };
}

/** Page sizes of market lists and trades. */
export const MARKET_PAGE = { default: 100, max: 1_000, min: 0 } as const;

/** A market of the live endpoints, or a 404 refusal. */
export function live(exchange: Exchange, ticker = ''): Market {
  const market = exchange.liveMarket(ticker);
  if (market === undefined) throw refusal(404, 'not_found');
  return market;
}

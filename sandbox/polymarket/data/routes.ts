import { type Route, type Routes } from '../../wire/router.js';
import { type Exchange } from '../exchange.js';
import { listActivity } from './activity.js';
import { getApprovals } from './approvals.js';
import { Cursors } from './cursors.js';
import { getValue, listPositions } from './positions.js';
import { listPrices } from './prices.js';
import { DataQuery } from './query.js';
import { getResolutions } from './resolutions.js';
import { listTrades } from './trades.js';

/** The Data API v2: public, by wallet or market (polymarket.md 6). The routes of v1 are gone. */
export function dataRoutes(exchange: Exchange): Routes {
  const cursors = new Cursors();
  const asked =
    (answer: (query: DataQuery) => unknown): Route =>
    ({ request }) =>
      answer(new DataQuery(request.query));
  return {
    'GET /v2/activity': asked((query) => listActivity(exchange, cursors, query)),
    'GET /v2/approvals': asked((query) => getApprovals(exchange, query)),
    'GET /v2/positions': asked((query) => listPositions(exchange, cursors, query)),
    'GET /v2/prices-history': asked((query) => listPrices(exchange, cursors, query)),
    'GET /v2/resolutions': asked((query) => getResolutions(exchange, query)),
    'GET /v2/trades': asked((query) => listTrades(exchange, cursors, query)),
    'GET /v2/value': asked((query) => getValue(exchange, query)),
  };
}

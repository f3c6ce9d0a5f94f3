import { type Routes } from '../../wire/router.js';
import { type Exchange } from '../exchange.js';
import { accountRoutes } from './account.routes.js';
import { marketDataRoutes } from './market-data.routes.js';
import { marketRoutes } from './market.routes.js';
import { openOrderRoutes } from './open-order.routes.js';
import { orderRoutes } from './order.routes.js';
import { sessionRoutes } from './session.routes.js';
import { tradeRoutes } from './trade.routes.js';

/** The CLOB: books, orders and accounts (polymarket.md 3, 5, 7, 8, 9). */
export function clobRoutes(exchange: Exchange): Routes {
  return {
    ...marketDataRoutes(exchange),
    ...marketRoutes(exchange),
    ...accountRoutes(exchange),
    ...orderRoutes(exchange),
    ...openOrderRoutes(exchange),
    ...tradeRoutes(exchange),
    ...sessionRoutes(exchange),
  };
}

/** The CLOB's `{ "error": text }` for statuses that faults and unknown paths produce. */
const ERRORS: Readonly<Record<number, string>> = {
  401: 'Unauthorized/Invalid api key',
  403: 'Trading restricted in your region, please refer to available regions',
  404: 'Not Found',
  405: 'Method Not Allowed',
  429: 'Too Many Requests',
  500: 'Internal server error',
  503: 'Trading is currently disabled. Check polymarket.com for updates',
};

/** 425 has its text under `error_msg` (polymarket.md 13), everything else under `error`. */
export function clobError(status: number): unknown {
  if (status === 425) return { error_msg: 'matching engine is restarting', retry_after_seconds: 79 };
  return { error: ERRORS[status] ?? `status ${status}` };
}

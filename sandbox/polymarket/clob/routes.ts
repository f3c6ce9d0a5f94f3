import { type Routes } from '../../wire/router.js';
import { type Exchange } from '../exchange.js';
import { errorText } from '../refusals.js';
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

/** 425 has its text under `error_msg` (polymarket.md 13), everything else under `error`. */
export function clobError(status: number): unknown {
  if (status === 425) return { error_msg: 'matching engine is restarting', retry_after_seconds: 79 };
  return { error: errorText(status) };
}

import { type Routes } from '../wire/router.js';
import { type Exchange } from './exchange.js';
import { historyRoutes } from './history/history.routes.js';
import { eventRoutes } from './markets/event.routes.js';
import { keyRoutes } from './keys/key.routes.js';
import { limitRoutes } from './limits/limit.routes.js';
import { marketRoutes } from './markets/market.routes.js';
import { tradeRoutes } from './markets/trade.routes.js';
import { balanceRoutes } from './portfolio/balance.routes.js';
import { orderRoutes } from './portfolio/order.routes.js';
import { portfolioRoutes } from './portfolio/portfolio.routes.js';
import { positionRoutes } from './portfolio/position.routes.js';
import { transferRoutes } from './transfers/transfer.routes.js';

/** The whole API, under its base path. */
export function kalshiRoutes(exchange: Exchange): Routes {
  return {
    ...tradeRoutes(exchange),
    ...marketRoutes(exchange),
    ...eventRoutes(exchange),
    ...orderRoutes(exchange),
    ...portfolioRoutes(exchange),
    ...balanceRoutes(exchange),
    ...positionRoutes(exchange),
    ...transferRoutes(exchange),
    ...keyRoutes(exchange),
    ...historyRoutes(exchange),
    ...limitRoutes(exchange),
  };
}

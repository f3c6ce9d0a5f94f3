import { SECOND } from '../times.js';
import { type Exchange } from './exchange.js';

/** Lists and ends the markets whose time has come. */
export function keepHours(exchange: Exchange): void {
  const { catalogue, clock } = exchange;
  const now = clock();
  const seconds = (now.getTime() - catalogue.start.getTime()) / SECOND;
  for (const market of catalogue.timed) {
    const { opensIn = 0, closesIn = 0 } = market.seed.hours ?? {};
    if (seconds >= closesIn && !market.closed) exchange.resolve(market, 0);
    if (seconds >= opensIn && !market.active) market.list(now);
  }
}

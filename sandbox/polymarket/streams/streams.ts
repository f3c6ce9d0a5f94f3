import { type StreamFaults } from '../../streams/faults.js';
import { StreamServer } from '../../streams/server.js';
import { type Exchange } from '../exchange.js';
import { refusal } from '../refusals.js';
import { MarketSession } from './market-session.js';
import { MarketTeller } from './market-teller.js';
import { UserSession } from './user-session.js';
import { UserTeller } from './user-teller.js';

/** How often the exchange is brought up to its clock while somebody listens. */
const STEP_MS = 100;
/** A connection on which nothing moves either way is cut after that long (streams.md 2.5). */
const IDLE_MS = 125_000;

/** Both WebSocket channels, `/ws/market` and `/ws/user` (streams.md 2). */
export class PolymarketStreams extends StreamServer {
  readonly #step: NodeJS.Timeout;

  constructor(exchange: Exchange, faults: StreamFaults, idleMs = IDLE_MS) {
    const markets = new Set<MarketSession>();
    const users = new Set<UserSession>();
    super({
      exchange: 'polymarket',
      faults,
      admit: ({ path }) => {
        if (path === '/ws/market')
          return (line) => kept(markets, new MarketSession(exchange, line, (gone) => markets.delete(gone)));
        if (path === '/ws/user')
          return (line) => kept(users, new UserSession(exchange, line, (gone) => users.delete(gone)));
        throw refusal('not found', 404);
      },
      compresses: false,
      idleMs,
      tooMany: refusal('too many connections', 429),
    });
    const marketTeller = new MarketTeller(markets, exchange.clock);
    const userTeller = new UserTeller(users, exchange.clock);
    exchange.tape.watch((events) => {
      if (markets.size > 0) marketTeller.tell(events);
      userTeller.tell(events);
    });
    this.#step = setInterval(() => {
      if (this.size > 0) exchange.advance();
      userTeller.tellProgress();
    }, STEP_MS).unref();
  }

  override close(): void {
    clearInterval(this.#step);
    super.close();
  }
}

function kept<S>(sessions: Set<S>, session: S): S {
  sessions.add(session);
  return session;
}

import { type PolymarketEvent } from '../events.js';
import { type Market, type OutcomeIndex } from '../market.js';
import { type Trade } from '../order.js';
import { type MarketSession } from './market-session.js';
import {
  bestBidAskFrame,
  bookFrame,
  lastTradeFrame,
  newMarketFrame,
  priceChangeFrame,
  resolvedFrame,
  tickFrame,
  type Touched,
} from './messages.js';

/** What one call did to one market. */
interface Doings {
  levels: Map<string, Touched>;
  trades: Trade[];
  ticks: string[];
  winner: OutcomeIndex | undefined;
  isListed: boolean;
}

/** Tells the connections of the market channel what happened (streams.md 2). */
export class MarketTeller {
  readonly #best = new Map<string, string>();

  constructor(
    private readonly sessions: ReadonlySet<MarketSession>,
    private readonly clock: () => Date,
  ) {}

  tell(events: readonly PolymarketEvent[]): void {
    const byMarket = new Map<Market, Doings>();
    for (const event of events) note(byMarket, event);
    for (const [market, doings] of byMarket) this.#tellOf(market, doings);
  }

  #tellOf(market: Market, doings: Doings): void {
    if (doings.isListed) this.#tellListed(market);
    for (const session of this.sessions) tellBook(session, market, doings);
    if (doings.levels.size > 0) this.#tellBest(market);
    if (doings.winner !== undefined) this.#tellResolved(market, doings.winner);
  }

  /** Where the best prices have changed, to those who asked for it. */
  #tellBest(market: Market): void {
    const [first, second] = [bestBidAskFrame({ market, outcome: 0 }), bestBidAskFrame({ market, outcome: 1 })];
    const text = `${first.best_bid} ${first.best_ask}`;
    if (this.#best.get(market.conditionId) === text) return;
    this.#best.set(market.conditionId, text);
    for (const session of this.#wanting()) {
      for (const { outcome } of session.tokensOf(market)) session.tell(market, outcome === 0 ? first : second);
    }
  }

  #tellListed(market: Market): void {
    for (const session of this.#wanting()) session.tell(market, newMarketFrame(market, this.clock()));
  }

  #tellResolved(market: Market, winner: OutcomeIndex): void {
    for (const session of this.sessions) {
      if (session.tokensOf(market).length === 0) continue;
      if (session.wantsCustomFeatures) session.tell(market, resolvedFrame(market, winner, this.clock()));
      session.endIfAllResolved();
    }
  }

  #wanting(): MarketSession[] {
    return [...this.sessions].filter((session) => session.wantsCustomFeatures);
  }
}

function nothing(): Doings {
  return { levels: new Map(), trades: [], ticks: [], winner: undefined, isListed: false };
}

function note(byMarket: Map<Market, Doings>, event: PolymarketEvent): void {
  if (event.kind === 'order' || event.kind === 'killed') return;
  const market = event.kind === 'trade' ? event.trade.taker.market : event.market;
  const doings = byMarket.get(market) ?? nothing();
  byMarket.set(market, doings);
  if (event.kind === 'level') doings.levels.set(`${event.change.side} ${event.change.price}`, event.change);
  else if (event.kind === 'trade') doings.trades.push(event.trade);
  else if (event.kind === 'tick') doings.ticks.push(event.from);
  else if (event.kind === 'listed') doings.isListed = true;
  else doings.winner = event.winner;
}

/** A trade shows as whole books and then the trade, everything else as changed levels. */
function tellBook(session: MarketSession, market: Market, { levels, trades, ticks }: Doings): void {
  const tokens = session.tokensOf(market);
  if (tokens.length === 0) return;
  for (const token of tokens) for (const from of ticks) session.tell(market, tickFrame(token, from));
  if (trades.length > 0) for (const token of tokens) session.tell(market, bookFrame(token, false), true);
  else if (levels.size > 0) session.tell(market, priceChangeFrame(market, [...levels.values()]), true);
  for (const trade of trades) session.tell(market, lastTradeFrame(trade));
}

import { type BookSide } from '../matching-engine.js';
import { SeededRandom } from '../random.js';
import { toUnits } from '../units.js';
import { type Account } from './account.js';
import { type Exchange } from './exchange.js';
import { type Market } from './market.js';
import { placeOrder } from './trading.js';

const LEVELS = 10;

/** Puts the market maker's orders into every trading market: up to ten levels a side, the best where the catalogue says. */
export function quoteMarkets(exchange: Exchange): void {
  const now = exchange.startedAt;
  const maker = exchange.openAccount({ now, unlimited: true });
  for (const market of exchange.markets.values()) {
    if (market.statusAt(now) === 'inactive') quotePaused(exchange, maker, market);
    else quote(exchange, maker, market);
  }
}

/** A paused market takes no orders, but keeps those it had. */
function quotePaused(exchange: Exchange, maker: Account, market: Market): void {
  const now = exchange.startedAt;
  const { updatedTime } = market;
  exchange.setPaused(market.ticker, false, now);
  quote(exchange, maker, market);
  exchange.setPaused(market.ticker, true, updatedTime);
}

function quote(exchange: Exchange, maker: Account, market: Market): void {
  const { bid, ask } = market.seed.quotes;
  const past = market.quotes.length;
  const random = new SeededRandom(`${market.ticker} book`);
  if (bid !== undefined) quoteSide(exchange, maker, { market, side: 'bid', best: toUnits(bid) }, random);
  if (ask !== undefined) quoteSide(exchange, maker, { market, side: 'ask', best: toUnits(ask) }, random);
  // The half-built book is nobody's quote.
  market.quotes.splice(past);
  if (bid !== undefined || ask !== undefined) market.recordQuote(exchange.startedAt);
}

function quoteSide(
  exchange: Exchange,
  maker: Account,
  { market, side, best }: { market: Market; side: BookSide; best: bigint },
  random: SeededRandom,
): void {
  const prices = market.seed.grid.prices();
  const away =
    side === 'bid' ? prices.filter((price) => price <= best).reverse() : prices.filter((price) => price >= best);
  for (const price of away.slice(0, market.seed.few === undefined ? LEVELS : 1)) {
    const size = toUnits(String(random.whole(200, 3_000))) + toUnits('0.25') * BigInt(random.whole(0, 3));
    const order = { ticker: market.ticker, subaccount: 0, clientOrderId: '', side, price, size } as const;
    const terms = { timeInForce: 'GTC', selfTradePrevention: 'taker_at_cross', postOnly: true } as const;
    const rest = { reduceOnly: false, cancelOnPause: false, expiresAt: null, exchangeIndex: undefined };
    placeOrder(exchange, maker, { ...order, ...terms, ...rest }, exchange.startedAt);
  }
}

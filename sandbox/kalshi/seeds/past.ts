import { SeededRandom } from '../../random.js';
import { DAY, HOUR, MINUTE } from '../../times.js';
import { ONE, toUnits } from '../../units.js';
import { type Market, type QuoteRecord, type TradeRecord } from '../market.js';

const SIZES = ['1', '7.77', '25', '3', '100', '12', '0.5', '40', '6', '15'].map(toUnits);
const LONGEST = 60 * DAY;

/**
 * Generates the past of a market up to `start`: trades a few times an hour in the last two days and a few times a day before,
 * at prices that wander over the tick grid and end at the market's last price, with quotes one tick around them. Hours
 * without a trade but with a moving quote are among them. The same market always gets the same past, counted from `start`.
 */
export function generatePast(market: Market, start: number): void {
  if (market.seed.few !== undefined) {
    addFewTrades(market, start, market.seed.few);
    return;
  }
  const end = Math.min(start, market.closeTime) - 2 * MINUTE;
  if (market.openTime >= end) return;
  const random = new SeededRandom(market.ticker);
  const moments = tradeMoments(Math.max(market.openTime, end - LONGEST), end, random);
  const prices = market.seed.grid.prices();
  const walk = wander(prices, toUnits(market.seed.lastPrice), moments.length, random);
  moments.forEach((at, index) => {
    const place = walk[index] ?? 0;
    addTrade(market, at, prices[place] ?? 0n, random);
    market.quotes.push(quoteAround(prices, place, at + 1));
    if (random.whole(0, 4) === 0) {
      const next = moments[index + 1] ?? at + MINUTE;
      market.quotes.push(quoteAround(prices, place, Math.floor((at + next) / 2), 1));
    }
  });
}

/** One trade of the last day, and one before it. */
function addFewTrades(
  market: Market,
  start: number,
  { volume, volume24h }: { volume: string; volume24h: string },
): void {
  if (market.openTime >= start) return;
  const price = toUnits(market.seed.lastPrice);
  const random = new SeededRandom(market.ticker);
  const rest = toUnits(volume) - toUnits(volume24h);
  for (const [at, size] of [[start - 2 * DAY, rest] as const, [start - HOUR, toUnits(volume24h)] as const]) {
    market.openInterest += size / 2n;
    const terms = { id: random.uuid(), ticker: market.ticker, at, price, size, openInterest: market.openInterest };
    market.trades.push({ ...terms, side: 'bid', isBlock: false });
  }
}

/** When the trades were, oldest first: thinly at first, densely in the last two days. */
function tradeMoments(from: number, end: number, random: SeededRandom): number[] {
  const moments: number[] = [];
  for (let at = end; at > from;) {
    moments.push(at);
    at -= end - at < 2 * DAY ? random.whole(10 * MINUTE, 45 * MINUTE) : random.whole(3 * HOUR, 9 * HOUR);
  }
  return moments.reverse();
}

/** Places on the tick grid, one for each trade, that end at the market's last price. */
function wander(prices: readonly bigint[], last: bigint, steps: number, random: SeededRandom): number[] {
  const stride = Math.max(1, Math.round(prices.length / 250));
  let place = Math.max(
    0,
    prices.findIndex((price) => price >= last),
  );
  const backwards: number[] = [];
  for (let step = 0; step < steps; step += 1) {
    backwards.push(place);
    place = Math.min(prices.length - 2, Math.max(1, place + stride * random.whole(-1, 1)));
  }
  return backwards.reverse();
}

function addTrade(market: Market, at: number, price: bigint, random: SeededRandom): void {
  const size = SIZES[random.whole(0, SIZES.length - 1)] ?? ONE;
  if (random.whole(0, 9) < 6) market.openInterest += size;
  const trade: TradeRecord = {
    id: random.uuid(),
    ticker: market.ticker,
    at,
    price,
    size,
    side: random.whole(0, 1) === 0 ? 'bid' : 'ask',
    isBlock: random.whole(0, 49) === 0,
    openInterest: market.openInterest,
  };
  market.trades.push(trade);
}

function quoteAround(prices: readonly bigint[], place: number, at: number, wider = 0): QuoteRecord {
  return { at, bid: prices[place - 1 - wider] ?? 0n, ask: prices[place + 1 + wider] ?? ONE };
}

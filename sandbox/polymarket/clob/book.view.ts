import { createHash } from 'node:crypto';
import { type BookSide, type Level } from '../../matching-engine.js';
import { ONE } from '../../units.js';
import { toDecimal } from '../format.js';
import { type Market, type OutcomeIndex } from '../market.js';

interface PriceLevel {
  price: string;
  size: string;
}

/** GET /book. Bids ascend and asks descend, so the best of each is the last (polymarket.md 5). */
export interface BookSummary {
  market: string;
  asset_id: string;
  timestamp: string;
  hash: string;
  bids: PriceLevel[];
  asks: PriceLevel[];
  min_order_size: string;
  tick_size: string;
  neg_risk: boolean;
  /** Empty where nobody traded yet. */
  last_trade_price: string;
  /** Absent for V1 markets (polymarket.md 10.2). */
  version?: string;
}

/** The levels of one side of a token's book, best first: the second token's book is the mirror of the first's. */
export function levelsOf(market: Market, outcome: OutcomeIndex, side: BookSide): Level[] {
  if (outcome === 0) return market.book.levels(side);
  const mirrored = market.book.levels(side === 'bid' ? 'ask' : 'bid');
  return mirrored.map(({ price, size }) => ({ price: ONE - price, size }));
}

/** The best price of one side of a token's book. */
export function bestOf(market: Market, outcome: OutcomeIndex, side: BookSide): bigint | undefined {
  return levelsOf(market, outcome, side)[0]?.price;
}

/** The book of a token; the hash is SHA-1 over the answer with an empty hash, as the official client counts it. */
export function bookSummary(market: Market, outcome: OutcomeIndex): BookSummary {
  const summary: BookSummary = {
    market: market.conditionId,
    asset_id: market.tokenIds[outcome],
    timestamp: String(market.changedAt.getTime()),
    hash: '',
    bids: worstFirst(levelsOf(market, outcome, 'bid')),
    asks: worstFirst(levelsOf(market, outcome, 'ask')),
    min_order_size: toDecimal(market.minSize),
    tick_size: market.seed.tick,
    neg_risk: market.negRisk,
    last_trade_price: market.traded ? toDecimal(market.last) : '',
    ...(market.version === 'v1' ? {} : { version: market.version }),
  };
  return { ...summary, hash: createHash('sha1').update(JSON.stringify(summary)).digest('hex') };
}

function worstFirst(levels: Level[]): PriceLevel[] {
  return levels.map(({ price, size }) => ({ price: toDecimal(price), size: toDecimal(size) })).reverse();
}

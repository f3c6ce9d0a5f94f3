import { z } from 'zod';
import { BOOK_LEVELS, boundedList, PRICE_POINTS } from '../../wire-list.js';
import { decimal, id, listed, maybeDecimal, maybeText, milliseconds, seconds, side } from '../connection/wire.js';

/* What is used of the CLOB's and the Data API's public answers (polymarket.md 5 and 6). */

/** Null for an empty side; but a book that leaves one out is none. */
const levels = listed(z.object({ price: decimal, size: decimal }), BOOK_LEVELS);

export const book = z.object({
  market: z.string(),
  asset_id: id,
  timestamp: milliseconds,
  hash: maybeText,
  bids: levels,
  asks: levels,
  min_order_size: maybeDecimal,
  tick_size: maybeDecimal,
  last_trade_price: maybeDecimal,
});

export const priceHistory = z.object({
  history: listed(z.object({ t: z.int().nonnegative(), p: decimal }), PRICE_POINTS),
});

const publicTrade = z.object({
  proxyWallet: z.string(),
  side,
  asset: id,
  conditionId: z.string(),
  size: decimal,
  price: decimal,
  timestamp: seconds,
  transactionHash: maybeText,
});

export const publicTrades = boundedList(publicTrade);

export type Book = z.output<typeof book>;
export type PricePoint = z.output<typeof priceHistory>['history'][number];
export type PublicTrade = z.output<typeof publicTrade>;

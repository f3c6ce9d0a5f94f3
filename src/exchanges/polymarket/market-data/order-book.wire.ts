import { z } from 'zod';
import { BOOK_LEVELS, boundedList, nullableList } from '../../wire-list.js';
import { decimal, id, maybeDecimal, maybeText, milliseconds, seconds, side, wireDataPage } from '../connection/wire.js';

/* What is used of the CLOB's books and the Data API's trades (polymarket.md 5, 6.2). */

/** Null for an empty side; but a book that leaves one out is none. */
const levels = nullableList(z.object({ price: decimal, size: decimal }), BOOK_LEVELS);

export const wireOrderBook = z.object({
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

/** Books of several tokens, in any order; those that have none are left out (polymarket.md 5). */
export const wireOrderBooks = boundedList(wireOrderBook);

const wireTrade = z.object({
  proxy_wallet: z.string(),
  side,
  token_id: id,
  size: decimal,
  price: decimal,
  timestamp: seconds,
  transaction_hash: maybeText,
});

export const wireTrades = wireDataPage(wireTrade);

export type WireOrderBook = z.output<typeof wireOrderBook>;
export type WireTrade = z.output<typeof wireTrade>;

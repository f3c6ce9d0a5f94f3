import { z } from 'zod';
import { BOOK_LEVELS, boundedList, nullableList } from '../../wire-list.js';
import { decimal, maybeText, outcomeSide, time, toPage } from '../connection/wire.js';

/** One price level: price and count. */
const level = z.tuple([decimal, decimal]).rest(z.unknown());

/** Bids of one side; null, or left out beside the other, where there are none. */
const side = boundedList(level, BOOK_LEVELS).nullish();

/** Bids of both sides, worst first (kalshi.md 4); what has neither is no book, and must not be told as an empty one. */
export const wireOrderBook = z.object({
  orderbook_fp: z
    .object({ yes_dollars: side, no_dollars: side })
    .refine(({ yes_dollars, no_dollars }) => yes_dollars !== undefined || no_dollars !== undefined)
    .transform(({ yes_dollars, no_dollars }) => ({ yes_dollars: yes_dollars ?? [], no_dollars: no_dollars ?? [] })),
});
export type WireOrderBook = z.infer<typeof wireOrderBook>;

/** Books of several markets (kalshi.md 4.3). */
export const wireOrderBooks = z.object({
  orderbooks: boundedList(wireOrderBook.extend({ ticker: z.string().min(1) })),
});

/** A public trade. */
const wireTrade = z.object({
  trade_id: z.string().min(1),
  ticker: z.string().min(1),
  count_fp: decimal,
  yes_price_dollars: decimal,
  no_price_dollars: decimal,
  taker_outcome_side: outcomeSide,
  created_time: time,
  is_block_trade: z.boolean().nullish(),
});
export type WireTrade = z.infer<typeof wireTrade>;

export const wireTradePage = z
  .object({ trades: nullableList(wireTrade), cursor: maybeText })
  .transform(({ trades, cursor }) => toPage(trades, cursor));

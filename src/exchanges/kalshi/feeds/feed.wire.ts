import { z } from 'zod';
import { BOOK_LEVELS, boundedList } from '../../wire-list.js';
import { decimal, maybeDecimal, outcomeSide } from '../connection/wire.js';

/* Frames of Kalshi's WebSocket (streams.md 1.3). Fields that are not used are not looked at: some tell whose order it was. */

const count = z.int().nonnegative();

/** What every frame is made of; which one it is, says `type`. */
export const wireFrame = z.object({
  type: z.string(),
  id: count.optional(),
  sid: count.optional(),
  seq: count.optional(),
  /** Left out of answers to commands that ask for no list of markets. */
  msg: z.unknown().optional(),
});
export type WireFrame = z.output<typeof wireFrame>;

const level = z.tuple([decimal, decimal]).rest(z.unknown());
const side = boundedList(level, BOOK_LEVELS).nullish();

export const wireSubscribed = z.object({ channel: z.string(), sid: count });

/** A side without levels is left out; both are in prices of YES. */
export const wireSnapshot = z.object({ market_ticker: z.string().min(1), yes_dollars_fp: side, no_dollars_fp: side });

export const wireDelta = z.object({
  market_ticker: z.string().min(1),
  price_dollars: decimal,
  delta_fp: decimal,
  side: outcomeSide,
  ts_ms: count.optional(),
});

/** The side and the time also come in older forms beside these. */
export const wireFeedTrade = z.object({
  trade_id: z.string().min(1),
  market_ticker: z.string().min(1),
  yes_price_dollars: decimal,
  no_price_dollars: decimal,
  count_fp: decimal,
  taker_outcome_side: outcomeSide,
  is_block_trade: z.boolean().nullish(),
  ts_ms: count,
});

/** A price of `""` or 0 is that of a market that never traded. */
export const wireTicker = z.object({
  market_ticker: z.string().min(1),
  price_dollars: maybeDecimal,
  volume_fp: maybeDecimal,
  open_interest_fp: maybeDecimal,
  ts_ms: count.optional(),
});

export const wireError = z.object({ code: z.int() });

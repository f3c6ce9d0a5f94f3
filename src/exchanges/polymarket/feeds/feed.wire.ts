import { z } from 'zod';
import { BOOK_LEVELS, boundedList, nullableList } from '../../wire-list.js';
import { decimal as plainDecimal, EMPTY, id, maybeText } from '../connection/wire.js';

/* Frames of Polymarket's market channel (streams.md 2.4). Fields that are not used are not looked at. */

/** Events of one frame: a whole book for each token of a subscription. */
const MOST_EVENTS = 1_000;
/** Levels of one moment: all of a market that is resolved become 0 at once. */
const MOST_CHANGES = 5_000;

/** A decimal as text, also without the digit before its point. */
const decimal = z.preprocess((text) => (typeof text === 'string' ? text.replace(/^\./, '0.') : text), plainDecimal);

const maybeDecimal = z
  .union([EMPTY, decimal])
  .nullish()
  .transform((value) => value ?? null);

/** Unix milliseconds as text; of ten digits or less it can only be seconds. */
const time = z
  .union([z.int().nonnegative(), z.string().regex(/^\d{1,15}$/)])
  .transform((value) => (String(value).length > 10 ? Number(value) : Number(value) * 1_000));

const levels = nullableList(z.object({ price: decimal, size: decimal }), BOOK_LEVELS);

export const wireEvent = z.object({ event_type: z.string() });
export const wireEvents = boundedList(z.unknown(), MOST_EVENTS);

export const wireBook = z.object({
  asset_id: id,
  timestamp: time,
  hash: maybeText,
  bids: levels,
  asks: levels,
  tick_size: z.union([EMPTY, decimal]).nullish(),
  last_trade_price: z.union([EMPTY, decimal]).nullish(),
});

const bookSide = z
  .string()
  .transform((side) => side.toUpperCase())
  .pipe(z.enum(['BUY', 'SELL']));

export const wirePriceChange = z.object({
  timestamp: time,
  price_changes: boundedList(
    z.object({
      asset_id: id,
      price: decimal,
      size: decimal,
      side: bookSide,
      hash: maybeText,
      best_bid: maybeDecimal,
      best_ask: maybeDecimal,
    }),
    MOST_CHANGES,
  ),
});
export type WirePriceChange = z.output<typeof wirePriceChange>;

export const wireTickSize = z.object({ asset_id: id, new_tick_size: decimal });
/** `asset_id` is the token of the taker, `side` what the taker did with it. */
export const wireLastTrade = z.object({
  asset_id: id,
  price: decimal,
  size: decimal,
  side: bookSide,
  timestamp: time,
  transaction_hash: maybeText,
});
export type WireLastTrade = z.output<typeof wireLastTrade>;
export const wireResolved = z.object({ assets_ids: boundedList(id) });

import { z } from 'zod';
import { SIDES, TIMES_IN_FORCE } from '../../exchanges/unified.trading.dto.js';
import {
  decimal,
  type Field,
  flag,
  foreign,
  id,
  list,
  maybe,
  object,
  sentence,
  time,
  whole,
  word,
} from '../answers/fields.js';
import { MARKET_ID, ORDER, OUTCOME } from '../answers/shapes.js';
import { NEXT_TOOLS, PREVIEW_STATES, type PreviewFate } from './preview-fates.js';

export const PREVIEW_ID = z
  .string()
  .regex(/^prv_[0-9A-HJKMNP-TV-Z]{26}$/)
  .describe('The preview_id that preview_order answered.');

const PREVIEW = id('The preview.');
const ORDER_ID = id('The order, where its exchange has told its id.');

/** A limit's amounts are decimals or counts. */
const AMOUNT: Field = {
  schema: { type: ['string', 'integer', 'null'], description: 'A decimal or a count.' },
  take: (value) => (Number.isSafeInteger(value) ? value : decimal().take(value)),
};

const LEVEL = object({ price: decimal(), size: decimal() });

const PREVIEWED_ORDER = object({
  market_id: MARKET_ID,
  outcome_index: whole('Which outcome: 0 or 1.'),
  outcome: maybe(OUTCOME),
  side: word(SIDES),
  price: decimal(),
  size: decimal(),
  time_in_force: word(TIMES_IN_FORCE),
  post_only: flag('Whether it is to rest.'),
  expires_at: time('When what rests ends by itself.'),
  money: decimal('What it spends; null where its size says so.'),
  shares: decimal('For at least so many shares; null where its size says so.'),
  currency: id('Of its money.'),
});

const WARNING = object({
  code: word(['same_terms']),
  message: sentence('What it means.'),
  preview_id: PREVIEW,
  order_id: ORDER_ID,
  asked_at: time(),
});

/** What `preview_order` answers. */
export const BOT_PREVIEW = object({
  preview_id: id('Send it to place_order; null where there is nothing to place.'),
  expires_at: time('Until then it can be placed.'),
  order: maybe(PREVIEWED_ORDER),
  risk: decimal('The most that it can lose, without fees.'),
  cost: decimal('The most that it can cost, without fees.'),
  fee_estimate: decimal(),
  book: maybe(object({ bid: maybe(LEVEL), ask: maybe(LEVEL) })),
  fills_now: maybe(object({ size: decimal(), average_price: decimal() })),
  limits: list(object({ limit: id('Which limit.'), allowed: AMOUNT, used: AMOUNT, asked: AMOUNT }), 'Your limits.'),
  would_be_refused: maybe(object({ code: id('A code.'), reason: id('Why.'), message: sentence('What to do.') })),
  warnings: list(WARNING, 'Read them before you place it.'),
});

const ERROR = object({ code: id('A code.'), reason: id('Why.'), untrusted_message: foreign() });

/** What became of a preview, or of an order. */
export const FATE = object({
  state: word(PREVIEW_STATES, 'What became of the preview.'),
  preview_id: PREVIEW,
  order: maybe(ORDER),
  order_id: id('Of `placed` the order; of `unsettled` the other one, where its exchange has told its id.'),
  error: maybe(ERROR),
  expires_at: time('Until when it can be placed.'),
  message: sentence('What that means.'),
  next: word(NEXT_TOOLS, 'The tool to call next; null where nothing is left to do.'),
});

/** The words of an exchange apart from ours. */
export function told({ error, ...fate }: PreviewFate): object {
  if (error === null) return { ...fate, error };
  const { reason = null } = error.details as { reason?: string };
  return { ...fate, error: { code: error.code, reason, message: error.message } };
}

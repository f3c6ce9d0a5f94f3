import { prepared } from '../../platform/database/prepared-statements.js';
import { NOW } from './ledger-conditions.js';

/* Parts of the ledger's statements: how an answer is kept. */

/** Keeps an answer (`$2`) and what it says of the row (`$3`); what was asked stays as it was asked. */
export const ANSWERED = `answer = CASE WHEN placements.key IS NOT NULL THEN $2::json END, state = made.state, reason = made.reason, words = made.words,
  status = made.status, filled_size = made.filled_size, cancelled_size = made.cancelled_size, attempt_at = clock_timestamp(), ${NOW},
  exchange_id = COALESCE(placements.exchange_id, made.exchange_id),
  client_order_id = COALESCE(placements.client_order_id, made.client_order_id),
  market_id = COALESCE(placements.market_id, made.market_id),
  outcome_index = COALESCE(placements.outcome_index, made.outcome_index),
  side = COALESCE(placements.side, made.side), price = COALESCE(placements.price, made.price),
  size = COALESCE(placements.size, made.size), time_in_force = COALESCE(placements.time_in_force, made.time_in_force),
  post_only = COALESCE(placements.post_only, made.post_only), currency = COALESCE(placements.currency, made.currency)`;
/** The columns that an answer fills (`columnsOf`). */
export const MADE = `jsonb_populate_record(NULL::placements, $3::jsonb) AS made`;

/** One statement, so that it is noted (`$4`) exactly where it becomes the answer of row `$1`. */
const NOTED_AS_MADE = `UPDATE placements SET ${ANSWERED}, noted = CASE WHEN $4::jsonb IS NULL THEN placements.noted ELSE 3 END
  FROM ${MADE} WHERE placements.id = $1`;
const WITH_NOTE = `RETURNING CASE WHEN $4::jsonb IS NOT NULL THEN note_activity($4) END`;

/** Where the row has no answer yet. */
export const SETTLE = prepared(
  `${NOTED_AS_MADE} AND placements.answer IS NULL AND placements.state IN ('begun', 'sending', 'unknown', 'refused') ${WITH_NOTE}`,
);
/** In the place of a kept refusal. */
export const CORRECT = `${NOTED_AS_MADE} AND placements.state = 'refused' AND placements.answer IS NOT NULL ${WITH_NOTE}`;

import { currentRequest } from '../../platform/http/request-context.js';
import { IS_UNPROVED } from './proofs.repository.js';

/** Conditions on a row of `placements`, and changes of it: parts of the statements of this folder. */

export const EXPIRED = `attempt_at < clock_timestamp() - interval '24 hours'`;
export const ON_ITS_WAY = `state IN ('begun', 'sending')`;
export const BUSY = `(${ON_ITS_WAY} AND busy_until > clock_timestamp())`;
/** What its owner may cure was refused, and no answer is kept of it. */
export const IS_OPEN = `(${ON_ITS_WAY} OR state = 'unknown' OR (state = 'refused' AND answer IS NULL))`;
export const NOW = `updated_at = clock_timestamp()`;
/** Of an order of a bot that has no end in the ledger something is reserved until it is known. */
export const IS_RESERVED = `EXISTS (SELECT FROM reservations WHERE reservations.placement_id = placements.id AND ${IS_UNPROVED})`;
/** How it was sent so far (`SendingHistory`). */
export const SENDINGS = `reference, account, refusal_holds_at::text AS "refusalHoldsAt",
  COALESCE(refusal_holds_at <= clock_timestamp(), false) AS "refusalHolds",
  ((EXTRACT(EPOCH FROM clock_timestamp()) - EXTRACT(EPOCH FROM refusal_holds_at)) * 1000)::float8 AS "refusalHeldMs",
  is_duplicate AS "isDuplicate", (EXTRACT(EPOCH FROM clock_timestamp() - absent_at) * 1000)::float8 AS "absentMs",
  (EXTRACT(EPOCH FROM clock_timestamp() - first_sent_at) * 1000)::float8 AS "firstSentMsAgo"`;
export const ENDED = `unbound_at = clock_timestamp(), answer = NULL`;

/** The id of the current request, by which support finds it; null outside of a request. */
export function requestId(): string | null {
  return currentRequest()?.id ?? null;
}

/** Of refusals by limits, halts and rates so many rows a bot and day are kept; the rest is counted. */
const MOST_REFUSALS = 1_000;

/**
 * Counts a refusal of a bot on this day, where it `isCounted`: a part of a statement, by its parameters. The row of the refusal, `$1`, is
 * locked before the bot's sums.
 */
export const COUNTED_REFUSAL = (bot: string, isCounted: string): string => `locked AS MATERIALIZED (
  SELECT FROM placements WHERE id = $1 FOR UPDATE),
 counted AS (
  INSERT INTO bot_sums AS sums (bot_id, refused_on, refused_today)
  SELECT ${bot}::text, limit_day(), 1 FROM (SELECT count(*) FROM locked) AS first WHERE ${bot}::text IS NOT NULL AND ${isCounted}::boolean
  ON CONFLICT (bot_id) DO UPDATE
    SET refused_on = limit_day(), refused_today = CASE WHEN sums.refused_on = limit_day() THEN sums.refused_today ELSE 0 END + 1
  RETURNING refused_today)`;

/** Whether the row of a refusal is kept, by that. */
export const IS_KEPT_REFUSAL = `NOT EXISTS (SELECT FROM counted WHERE refused_today > ${MOST_REFUSALS})`;

/** As many ids of requests are kept of a row, the newest. */
export const MOST_REQUEST_IDS = 20;

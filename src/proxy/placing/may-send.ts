import type { AskedTerms, Claim, Reservation } from './placement.js';

/** Parts of the statements that begin a sending: whether it may begin, `$1` to `$6` the look (`SendingLook`). */
export const MAY_SEND = `SELECT sending_refusal($1, $2, $3, $4, $5, $6) AS refusal, NULL::jsonb AS broken, true AS "mayBegin"`;

/**
 * As `MAY_SEND`, for an order of a bot, which is reserved there (contract.md 5.12); the parameters by which it is asked. One whose claim has lapsed
 * is not refused, and may not begin.
 */
export function mayReserve(row: string, attempt: string, facts: string, isAgain: string): string {
  return `SELECT NULLIF(refusal, 'claim_lapsed') AS refusal, broken, may_begin AS "mayBegin" FROM begin_order_of_bot($1, $2, $3, $4, $5, $6,
    ${row}::jsonb, ${attempt}::integer, ${facts}::jsonb, ${isAgain}::boolean)`;
}

/** The values of `mayReserve` but for the attempt. */
export function reservedWith(
  { id, botId, exchange, createdAt }: Claim,
  asked: AskedTerms,
  { facts, isAgain }: Reservation,
): readonly [row: string, facts: string, isAgain: boolean] {
  const row = { ...asked, id, bot_id: botId, exchange, created_at: createdAt };
  return [JSON.stringify(row), JSON.stringify(facts), isAgain];
}

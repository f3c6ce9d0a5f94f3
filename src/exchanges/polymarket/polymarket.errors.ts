import { z } from 'zod';
import type { ErrorDialect, ErrorRule, ExchangeFault } from '../upstream-errors.js';
import type { Meaning, Verdict } from '../verdicts.js';
import { POLYMARKET } from './polymarket.ids.js';

const text = z.string().min(1).max(10_000);

const FAULT_BODY = z.object({
  error: text.optional().catch(undefined),
  error_msg: text.optional().catch(undefined),
  code: z.string().max(10_000).nullish().catch(undefined),
  retry_after_seconds: z.number().nonnegative().nullish().catch(undefined),
});

/**
 * The error body of all three APIs: `{ error }`, at times with more, and at times called `error_msg` (polymarket.md 13).
 */
function readFault(body: unknown): ExchangeFault | null {
  const { data } = FAULT_BODY.safeParse(body);
  const error = data?.error ?? data?.error_msg;
  if (data === undefined || error === undefined) return null;
  const { code, retry_after_seconds: wait } = data;
  return { text: error, code: code ?? null, ...(typeof wait === 'number' ? { retryAfterSeconds: wait } : {}) };
}

/** An account that may only reduce what it holds. */
const CLOSED_ONLY = /closed?[ -]only/i;
/** An account, or a kind of wallet, that may not trade, or not from here. */
const DENIED = /banned|restricted|geoblock|deposit wallet flow|maker address not allowed/i;

/** A refusal for funds, where in truth a contract lacks the approval to take them (contract.md 5.6). */
export const ALLOWANCE_MISSING: Meaning = {
  code: 'exchange_rejected',
  reason: 'allowance_missing',
  message: 'refused the order: the account has not approved the contract in details.spender. Approve it, then repeat.',
};

const ORDER_VERSION: Meaning = {
  code: 'exchange_rejected',
  reason: 'invalid_order',
  message: 'refused the version of the order. Sign it under the domain of the market, which refs.protocol tells.',
};

export const SESSION_KEY_EXPIRED: Meaning = {
  code: 'credentials_rejected',
  reason: 'session_key_expired',
  message:
    `refuses the session key: it has expired or was revoked. Make a new one (POST /account/credentials/${POLYMARKET}/session-key), ` +
    'have it authorised and activate it.',
};

/** A refusal of a session key that the exchange may not know everywhere yet (contract.md 5.9). */
export const SESSION_KEY_SETTLING: Meaning = {
  code: 'exchange_unavailable',
  reason: 'session_key_settling',
  message: 'does not know the new session key everywhere yet. Try again after Retry-After.',
};

/** What the texts of the exchange mean for an order; there are no codes (polymarket.md 13). */
const ORDER_RULES = [
  { text: /not enough balance|allowance/i, verdict: 'insufficient_funds' },
  { text: /cross(?:es)? (?:the )?book/i, verdict: 'would_cross' },
  { text: /duplicated/i, verdict: 'duplicate_order' },
  { text: /FOK orders are|fully filled|no orders found to match|FAK orders are/i, verdict: 'not_filled' },
  { text: CLOSED_ONLY, verdict: 'closed_only' },
  { text: DENIED, verdict: 'permission_denied' },
  { text: /order_version_mismatch|invalid order version/i, verdict: ORDER_VERSION },
  { text: /not yet ready to process|no order ?book|order ?book \S{1,100} does not exist/i, verdict: 'market_closed' },
  { text: /market (?:is )?(?:closed|resolved|paused|not accepting)/i, verdict: 'market_closed' },
] as const;

const RULES: readonly ErrorRule[] = [
  { status: 401, text: /timestamp|expired/i, on: ['signed', 'cancel', 'order'], verdict: 'clock_skew' },
  { status: 401, on: ['signed', 'cancel', 'order'], verdict: 'credentials_rejected' },
  { status: 403, text: CLOSED_ONLY, verdict: 'closed_only' },
  { status: 403, verdict: 'permission_denied' },
  { status: 425, verdict: 'unavailable' },
  { status: 429, verdict: 'rate_limited' },
  { status: 503, verdict: 'unavailable' },
  ...ORDER_RULES.map((rule): ErrorRule => ({ ...rule, on: ['order'] })),
  { status: 400, text: CLOSED_ONLY, verdict: 'closed_only' },
  { status: 400, text: DENIED, verdict: 'permission_denied' },
  { status: 400, text: /not found|can't be found/i, on: ['signed', 'cancel'], verdict: 'not_found' },
];

/** What is wrong with the key that signed, and not with the order (polymarket.md 11.1). */
const SIGNER_REFUSED = /order signer address has to be the address of the api key/i;

/** What else errors mean where a session key signed the order: they tell that it has expired or was revoked. */
const SESSION_RULES: readonly ErrorRule[] = [
  { status: 401, text: /timestamp/i, on: ['order'], verdict: 'clock_skew' },
  { status: 401, on: ['order'], verdict: SESSION_KEY_EXPIRED },
  { status: 400, text: SIGNER_REFUSED, on: ['order'], verdict: SESSION_KEY_EXPIRED },
];

/** Failures of the exchange itself, in an error or beside a success: they do not prove that it refused the order. */
export const SYSTEM_TROUBLE = /timed out|could not insert|could not run|error delaying|internal|system error/i;

/** Reads the errors of Polymarket (S-51, R-15). */
export const POLYMARKET_ERRORS: ErrorDialect = {
  id: POLYMARKET,
  name: 'Polymarket',
  readFault,
  rules: RULES,
  ownTrouble: SYSTEM_TROUBLE,
};

/** Reads the errors of an order that a session key signed. */
export const SESSION_ERRORS: ErrorDialect = { ...POLYMARKET_ERRORS, rules: [...SESSION_RULES, ...RULES] };

/** The only text beside a success that is no refusal: the order waits to be matched. */
export const MATCH_DELAYED = /delayed/i;

/** Returns what a text beside a success means for the order that was sent, by a session key or not (polymarket.md 7.1). */
export function verdictOf(text: string, isBySession: boolean): Verdict {
  if (isBySession && SIGNER_REFUSED.test(text)) return SESSION_KEY_EXPIRED;
  return ORDER_RULES.find((rule) => rule.text.test(text))?.verdict ?? 'invalid_order';
}

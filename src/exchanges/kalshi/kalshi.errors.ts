import { z } from 'zod';
import { AppError } from '../../platform/errors/app-error.js';
import type { ErrorDialect, ErrorRule, ExchangeFault } from '../upstream-errors.js';
import type { Meaning } from '../verdicts.js';
import { KALSHI } from './kalshi.ids.js';

const text = z.string().max(10_000);
/** What is no text is not read; with a longer text the body is not the exchange's own. */
const isShort = (details: unknown): boolean => typeof details !== 'string' || details.length <= 10_000;
const facts = { code: text, message: text.optional(), details: z.unknown().refine(isShort).optional() };

/** The four shapes of a Kalshi error body (kalshi.md 11); a bare `message` is a gateway's, not the exchange's own. */
const FAULT_SHAPES = z.union([
  z.object({ error: z.object(facts) }).transform(({ error }) => faultOf(error)),
  z.object(facts).transform(faultOf),
  z.object({ msg: text }).transform(({ msg }) => ({ code: null, text: msg })),
  z.object({ error: text }).transform(({ error }) => ({ code: null, text: error, isTerse: true })),
]);

function faultOf(error: { code: string; message?: string | undefined; details?: unknown }): ExchangeFault {
  const words = [error.message, error.details].filter((part) => typeof part === 'string' && part !== '');
  return { code: error.code, text: words.length > 0 ? words.join(': ') : null };
}

const BOUND_KEY = /restricted to a single sub-?account/i;

const ATTESTATION_EXPIRED: Meaning = {
  code: 'exchange_rejected',
  reason: 'attestation_expired',
  message: 'wants the location of the account attested anew. Do so in its app or on its site, then repeat the call.',
};

const OF_BOUND_KEY: Meaning = {
  code: 'exchange_rejected',
  reason: 'permission_denied',
  message:
    'does not permit this to an API key of one subaccount. If it was not known to be one, verify the stored credentials ' +
    'under /account/credentials, then repeat the call.',
};

const MISMATCH: Meaning = {
  code: 'exchange_rejected',
  reason: 'invalid_order',
  message: 'says that the order is on another market or side than the one named. Read the order, then repeat the call.',
};

/** What a transfer alone means (kalshi.md 9.4); the answer to a repeated `client_transfer_id` is not documented (13). */
const TRANSFER_RULES: readonly ErrorRule[] = [
  {
    status: 400,
    text: /duplicate|already[ _](?:been[ _])?(?:exists|used|taken|accepted|processed|submitted)/i,
    on: ['transfer'],
    verdict: 'duplicate_transfer',
  },
  {
    text: /insufficient_(?:shard_)?balance|user_not_found|available_balance_too_low/,
    on: ['transfer'],
    verdict: 'insufficient_transfer_funds',
  },
  {
    text: /transfers?[ _](?:are[ _]|is[ _])?(?:paused|disabled|inactive|unavailable|not[ _](?:active|available))/i,
    on: ['transfer'],
    verdict: 'transfers_paused',
  },
  { status: 404, on: ['transfer'], verdict: 'invalid_request' },
];

/** Whether the exchange refused a call because the key is bound to one subaccount. */
export function isOfBoundKey(error: unknown): boolean {
  return error instanceof AppError && BOUND_KEY.test(error.details?.exchange?.message ?? '');
}

/** Kalshi's own trouble, by code and words: an engine behind its front may have taken what the front could not answer. */
const OWN_TROUBLE = /unavailable|internal|time[ds]?[ _-]?out|try again|conflict|unknown/i;

/**
 * How Kalshi speaks of errors (S-51, R-15); each line is one of unified-schema.md 11. What is not here: `COMMON_RULES` of
 * `upstream-errors.ts`.
 */
export const KALSHI_ERRORS: ErrorDialect = {
  id: KALSHI,
  name: 'Kalshi',
  readFault: (body) => FAULT_SHAPES.safeParse(body).data ?? null,
  ownTrouble: OWN_TROUBLE,
  rules: [
    { code: 'header_timestamp_expired', verdict: 'clock_skew' },
    ...TRANSFER_RULES,
    { code: 'insufficient_balance', verdict: 'insufficient_funds' },
    { code: 'available_balance_too_low', verdict: 'insufficient_funds' },
    // Each shard has its own money (kalshi.md 9.3): these are a 404 that is not about the market.
    { code: 'insufficient_shard_balance', on: ['order'], verdict: 'insufficient_funds' },
    { code: 'user_not_found', on: ['order'], verdict: 'insufficient_funds' },
    { status: 403, text: /location_attestation/i, verdict: ATTESTATION_EXPIRED },
    { status: 403, text: BOUND_KEY, verdict: OF_BOUND_KEY },
    // An id that is no UUID is none of the exchange's (kalshi.md 11).
    { code: 'invalid_UUID', on: ['signed', 'cancel'], verdict: 'not_found' },
    { code: 'invalid_order_size', verdict: 'invalid_size' },
    { text: /order_(?:side|ticker|id_and_client_order_id)_mismatch/, verdict: MISMATCH },
    { text: /post[ _-]?only[ _-]?cross/i, verdict: 'would_cross' },
    { text: /fill_or_kill_insufficient|insufficient_resting_volume/i, verdict: 'not_filled' },
    { code: 'order_already_exists', verdict: 'duplicate_order' },
    { text: /(?:exchange|trading)[ _](?:is[ _])?paused/i, verdict: 'unavailable' },
    {
      text: /market[ _](?:is[ _])?(?:inactive|closed|paused|settled|determined|finalized|not[ _](?:open|active))/i,
      on: ['order', 'cancel'],
      verdict: 'market_closed',
    },
    { code: 'invalid_order', verdict: 'invalid_order' },
    { code: 'invalid_price', verdict: 'invalid_order' },
  ],
};

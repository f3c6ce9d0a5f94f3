import { z } from 'zod';
import type { ErrorDialect, ExchangeFault } from '../upstream-errors.js';
import { KALSHI } from './kalshi.ids.js';

const text = z.string().max(10_000);
const facts = { code: text, message: text.optional(), details: z.unknown().optional() };

/** The four shapes of a Kalshi error body (kalshi.md 6); a bare `message` is a gateway's, not the exchange's own. */
const FAULT_SHAPES = z.union([
  z.object({ error: z.object(facts) }).transform(({ error }) => faultOf(error)),
  z.object(facts).transform(faultOf),
  z.object({ msg: text }).transform(({ msg }) => ({ code: null, text: msg })),
  z.object({ error: text }).transform(({ error }) => ({ code: null, text: error })),
]);

function faultOf(error: { code: string; message?: string | undefined; details?: unknown }): ExchangeFault {
  const words = [error.message, error.details].filter((part) => typeof part === 'string' && part !== '');
  return { code: error.code, text: words.length > 0 ? words.join(': ') : null };
}

/** How Kalshi speaks of errors; each line is one of unified-schema.md 11. What is not here: `COMMON_RULES` of `upstream-errors.ts`. */
export const KALSHI_ERRORS: ErrorDialect = {
  id: KALSHI,
  name: 'Kalshi',
  readFault: (body) => FAULT_SHAPES.safeParse(body).data ?? null,
  rules: [
    { code: 'header_timestamp_expired', verdict: 'clock_skew' },
    { code: 'insufficient_balance', verdict: 'insufficient_funds' },
    { code: 'available_balance_too_low', verdict: 'insufficient_funds' },
    // Each shard has its own money (kalshi-2026.md 2): these are a 404 that is not about the market.
    { code: 'insufficient_shard_balance', on: ['order'], verdict: 'insufficient_funds' },
    { code: 'user_not_found', on: ['order'], verdict: 'insufficient_funds' },
    { status: 403, text: /location_attestation/i, verdict: 'attestation_expired' },
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

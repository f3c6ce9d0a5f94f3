import type { ErrorCode, ErrorReason } from '../platform/errors/error-codes.js';

/** The error that an answer of the exchange becomes. */
export interface Meaning {
  readonly code: ErrorCode;
  /** Goes on after the name of the exchange. */
  readonly message: string;
  /** Becomes `details.reason`. */
  readonly reason?: ErrorReason;
}

/** What more than one exchange may answer (unified-schema.md 11). What one alone has to say stands in its own table. */
const MEANINGS = {
  bad_answer: { code: 'exchange_error', message: 'could not be reached or gave no usable answer. Try again later.' },
  clock_skew: {
    code: 'exchange_error',
    reason: 'clock_skew',
    message: "found the request's time too far from its own clock. Try again; if it persists, set this host's clock.",
  },
  closed_only: {
    code: 'exchange_rejected',
    reason: 'closed_only',
    message: 'lets this account only reduce what it holds. Cancels and such orders still work.',
  },
  credentials_rejected: {
    code: 'credentials_rejected',
    message: 'refused the stored credentials. Store working ones under /account/credentials.',
  },
  duplicate_order: {
    code: 'exchange_rejected',
    reason: 'duplicate_order',
    message: 'already has such an order. Send a new one under another client order id.',
  },
  duplicate_transfer: {
    code: 'exchange_rejected',
    reason: 'duplicate_transfer',
    message: 'already has this transfer. Look at the list of transfers.',
  },
  insufficient_funds: {
    code: 'exchange_rejected',
    reason: 'insufficient_funds',
    message: 'refused the order: the funds for this market do not cover it. Move money there or send a smaller order.',
  },
  insufficient_transfer_funds: {
    code: 'exchange_rejected',
    reason: 'insufficient_funds',
    message: 'refused the transfer: the shard that the money is to leave does not have as much. Look at the balance.',
  },
  invalid_order: {
    code: 'exchange_rejected',
    reason: 'invalid_order',
    message: 'refused the order as invalid. Check tick size, minimum size, expiry and details.exchange.message.',
  },
  invalid_request: {
    code: 'exchange_rejected',
    reason: 'invalid_order',
    message: 'refused the request. Check its parameters.',
  },
  invalid_size: {
    code: 'exchange_rejected',
    reason: 'invalid_order',
    message: 'refused the size of the order. Check the minimum size and the size step of the market.',
  },
  market_closed: {
    code: 'exchange_rejected',
    reason: 'market_closed',
    message: 'does not take orders on this market now. Look at its status first.',
  },
  not_amendable: {
    code: 'exchange_rejected',
    reason: 'not_amendable',
    message: 'changes no order that does not rest. Read the order for how it stands, or ended.',
  },
  not_cancellable: {
    code: 'exchange_rejected',
    reason: 'not_cancellable',
    message:
      'does not cancel the order now: it is just being matched. Repeat the DELETE in a moment: it then says how it ended.',
  },
  not_filled: {
    code: 'exchange_rejected',
    reason: 'not_filled',
    message: 'found nothing to fill the order with at once, so it is not in the book. Send another price or size.',
  },
  not_found: { code: 'not_found', message: 'does not know this id.' },
  permission_denied: {
    code: 'exchange_rejected',
    reason: 'permission_denied',
    message: 'does not permit this to the stored credentials or from this place. Check their rights at the exchange.',
  },
  rate_limited: { code: 'exchange_rate_limited', message: 'asks for fewer calls. Try again after Retry-After.' },
  transfers_paused: {
    code: 'exchange_unavailable',
    message: 'does not move money between these shards now. Try again after Retry-After.',
  },
  unavailable: { code: 'exchange_unavailable', message: 'does not take calls now. Try again after Retry-After.' },
  would_cross: {
    code: 'exchange_rejected',
    reason: 'would_cross',
    message: 'refused the post-only order: it would trade at once. Send another price.',
  },
} as const satisfies Readonly<Record<string, Meaning>>;

/** What an answer of the exchange means to the client: a word of the table, or a meaning that one exchange alone has. */
export type Verdict = keyof typeof MEANINGS | Meaning;

export function meaningOf(verdict: Verdict): Meaning {
  return typeof verdict === 'string' ? MEANINGS[verdict] : verdict;
}

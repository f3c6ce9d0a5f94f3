import type { ERROR_REASONS } from '../../../src/platform/errors/error-codes.js';

/** Where something can be mended. */
interface Way {
  readonly to: '/api-key' | '/bots' | '/credentials' | '/forgot-password' | '/portfolio' | '/sign-in' | '/sign-up';
  readonly label: string;
}

/** What people are told of an error. */
export interface Words {
  readonly happened: string;
  /** What to do; left out where `happened` says it, or nothing can be done. */
  readonly advice?: string;
  readonly link?: Way;
  /** Seconds to wait where the service names none; left out where waiting does not help. */
  readonly wait?: number;
}

export const CREDENTIALS: Way = { to: '/credentials', label: 'Go to your exchange credentials' };
const SESSION_KEY: Way = { to: '/credentials', label: 'Go to your session key' };
export const BOTS: Way = { to: '/bots', label: 'See your bots' };
export const KEY: Way = { to: '/api-key', label: 'See your key' };
export const SIGN_IN: Way = { to: '/sign-in', label: 'Sign in' };
export const SIGNED_OUT: Words = {
  happened: 'You are not signed in any more.',
  advice: 'Sign in again.',
  link: SIGN_IN,
};

type Reasons = typeof ERROR_REASONS;

/** Where the reason says more than the code: each reason of each code has its words, and there are none besides (errors.md). */
export const BY_REASON: { readonly [C in keyof Reasons]: Readonly<Record<Reasons[C][number], Words>> } = {
  bad_request: {
    wrong_domain: {
      happened: 'The order is signed for another contract.',
      advice: 'Which one is meant is under Details.',
    },
  },
  forbidden: {
    address_not_allowed: { happened: 'This key may not be used from this address.' },
    another_account: {
      happened: 'This link is for another account than the one that is signed in here.',
      advice: 'Sign out first.',
    },
    api_key_required: { happened: 'Only a program with an API key may do this.' },
    bot_key_required: { happened: 'Only a bot with its own key may do this.' },
    market_not_allowed: { happened: 'This bot may not trade this market.' },
    confirmation_required: {
      happened: 'Nothing was done, as you did not confirm that it is you.',
      advice: 'Try again, or sign out and in again.',
    },
    exchange_not_allowed: { happened: 'This bot may not use this exchange.' },
  },
  limit_exceeded: {
    expiry_too_late: { happened: 'The order may rest for longer than this bot may.' },
    no_reference_price: { happened: 'There is no price to compare the order with.', advice: 'Wait for one.' },
    size_not_bounded: { happened: 'The order could buy more than this bot may hold.' },
  },
  bot_halted: {
    all_bots: { happened: 'You halted all bots.', advice: 'It sends no order until you resume it.' },
    bot: { happened: 'This bot halted itself.', advice: 'It sends no order until you resume it.' },
    expired: { happened: 'The time of this bot is over.', advice: 'Give it a later end, then resume it.' },
    heartbeat_missed: { happened: 'This bot missed its heartbeat.', advice: 'Look whether its program runs.' },
    operator: { happened: 'The operator halted this bot.', advice: 'Ask the operator of this installation.' },
    owner: { happened: 'You halted this bot.', advice: 'It sends no order until you resume it.' },
    restored: {
      happened: 'All bots were halted when a backup was restored.',
      advice: 'Look at its orders, then resume it.',
    },
  },
  rate_limited: {
    abandoned_keys: { happened: 'Too many keys were given up today that made no order.', wait: 60 },
    orders_per_day: {
      happened: 'As many orders were asked for today as one user may.',
      advice: 'A day ends at 00:00 UTC. Cancels work all the time.',
    },
    previews: { happened: 'This bot made too many previews in a short time.', wait: 60 },
    streams: { happened: 'Too many streams of yours are open.', advice: 'Close other tabs or programs.', wait: 30 },
  },
  oauth_failed: {
    account_disabled: { happened: 'This account is disabled.', advice: 'Ask the operator of this installation.' },
    code_rejected: { happened: 'The provider did not confirm the sign-in.', advice: 'Begin it again.', link: SIGN_IN },
    email_unverified: {
      happened: 'The provider does not vouch for your address.',
      advice: 'Verify the address there, or sign in with your password.',
      link: SIGN_IN,
    },
    identity_taken: {
      happened: 'This account of the provider belongs to another account here.',
      advice: 'Sign in to that one, or with another account of the provider.',
      link: SIGN_IN,
    },
    other_account: {
      happened: 'This account of the provider belongs to somebody else.',
      advice: 'Confirm with the one that you sign in with.',
    },
  },
  unauthorized: {
    invalid: SIGNED_OUT,
    key_expired: { happened: 'The time of this API key is over.', link: KEY },
    key_revoked: { happened: 'This API key was revoked.', link: KEY },
    missing: SIGNED_OUT,
    token_expired: SIGNED_OUT,
    wrong_token_type: SIGNED_OUT,
  },
  credentials_not_configured: {
    session_key_required: {
      happened: 'This needs a session key.',
      link: { to: '/credentials', label: 'Make a session key' },
    },
  },
  credentials_rejected: {
    session_key_expired: { happened: 'Your session key has ended.', advice: 'Make a new one.', link: SESSION_KEY },
    session_key_not_authorized: {
      happened: 'The owner of the wallet has not authorised the session key.',
      advice: 'Run the command that stands beside it.',
      link: SESSION_KEY,
    },
  },
  exchange_rejected: {
    allowance_missing: {
      happened: 'Your account has not approved a contract of the exchange yet.',
      advice: 'Approve it there: which one is under Details.',
    },
    attestation_expired: {
      happened: 'The exchange wants your location attested anew.',
      advice: 'Do so in its app or on its site, then try again.',
    },
    closed_only: { happened: 'The exchange lets you only reduce what you hold.', advice: 'Cancelling still works.' },
    duplicate_order: { happened: 'The exchange has another order under this client order id.' },
    duplicate_transfer: { happened: 'The exchange has another transfer under this id.' },
    insufficient_funds: { happened: 'There is too little money, or there are too few shares, for this order.' },
    invalid_order: { happened: 'The exchange finds the order invalid.', advice: 'Its reason is under Details.' },
    market_closed: { happened: 'The exchange does not take this on the market now.' },
    not_amendable: { happened: 'The order does not rest any more, so there is nothing to change.' },
    not_cancellable: {
      happened: 'The order is just being matched, so the exchange did not cancel it.',
      advice: 'Cancel it again in a moment: that says how it ended.',
      link: { to: '/portfolio', label: 'See your open orders' },
      wait: 2,
    },
    not_filled: { happened: 'The order found nothing to trade with at once, and is not in the book.' },
    permission_denied: {
      happened: 'The exchange does not permit this to your stored credentials, or from where this service runs.',
      advice: 'Look at what the key may do at the exchange.',
      link: CREDENTIALS,
    },
    would_cross: { happened: 'The order was to rest in the book, and would have traded at once.' },
  },
  not_supported: {
    market_version: { happened: 'This kind of market is not known here yet.', advice: 'Trade it at the exchange.' },
  },
  exchange_error: {
    clock_skew: {
      happened: 'The exchange found the clock of this service wrong.',
      advice: 'Try again. If it stays so, ask the operator to set the clock.',
      wait: 0,
    },
  },
  exchange_unavailable: {
    search_incomplete: {
      happened: 'The exchange has too many orders to look through them all.',
      advice: 'The order may be there all the same.',
    },
    session_key_settling: { happened: 'The exchange does not know the new session key everywhere yet.', wait: 5 },
  },
  service_unavailable: {
    credentials_changed: {
      happened: 'The credentials were changed meanwhile, so nothing was sent.',
      advice: 'Try again.',
      wait: 0,
    },
    draining: { happened: 'The service is being restarted.', wait: 5 },
  },
  order_outcome_unknown: {
    credentials_changed: {
      happened: 'Other credentials are stored by now, so the order cannot be asked for.',
      advice: 'Look for it at the exchange itself.',
      link: CREDENTIALS,
    },
    search_incomplete: {
      happened: 'Not known whether the exchange took the order: it has too many to look through them all.',
      advice: 'Look for it at the exchange itself.',
    },
  },
  transfer_outcome_unknown: {
    credentials_changed: {
      happened: 'Other credentials are stored by now, so the transfer cannot be asked for.',
      advice: 'Look at the balance at the exchange itself.',
      link: CREDENTIALS,
    },
  },
};

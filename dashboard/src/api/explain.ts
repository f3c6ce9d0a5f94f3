import type { ERROR_REASONS, ErrorCode } from '../../../src/platform/errors/error-codes.js';
import { Failure } from './failure.js';

/** Where something can be mended. */
interface Way {
  readonly to: '/api-key' | '/credentials' | '/forgot-password' | '/portfolio' | '/sign-in' | '/sign-up';
  readonly label: string;
}

/** What people are told of an error. */
interface Words {
  readonly happened: string;
  /** What to do; left out where `happened` says it, or nothing can be done. */
  readonly advice?: string;
  readonly link?: Way;
  /** Seconds to wait where the service names none; left out where waiting does not help. */
  readonly wait?: number;
}

const CREDENTIALS: Way = { to: '/credentials', label: 'Go to your exchange credentials' };
const SESSION_KEY: Way = { to: '/credentials', label: 'Go to your session key' };
const KEY: Way = { to: '/api-key', label: 'See your key' };
const SIGN_IN: Way = { to: '/sign-in', label: 'Sign in' };
const SIGNED_OUT: Words = { happened: 'You are not signed in any more.', advice: 'Sign in again.', link: SIGN_IN };

/** By the code of the API; every code has its words (contract.md 3). */
const BY_CODE: Readonly<Record<ErrorCode, Words>> = {
  bad_request: { happened: 'Something that was sent does not fit.', advice: 'Look at Details, and correct it.' },
  invalid_token: {
    happened: 'This link is not valid any more.',
    advice: 'Links work once, and for a limited time. Ask for a new one.',
  },
  oauth_failed: { happened: 'The sign-in did not work.', advice: 'Begin the sign-in again.', link: SIGN_IN },
  redirect_uri_not_allowed: {
    happened: 'Providers cannot lead back to this address.',
    advice: 'Open the dashboard at the address that its operator gave you.',
  },
  unauthorized: SIGNED_OUT,
  invalid_credentials: {
    happened: 'That did not fit.',
    advice: 'Check the address and the password, or set a new password.',
    link: { to: '/forgot-password', label: 'Set a new password' },
  },
  forbidden: { happened: 'You may not do this here.' },
  email_not_verified: {
    happened: 'Your address is not verified yet.',
    advice: 'Open the link in the mail that we have just sent.',
  },
  signup_not_allowed: {
    happened: 'This address cannot sign up here.',
    advice:
      'This installation lets in approved addresses only: ask its operator to approve yours. If you have signed up already, sign in.',
    link: SIGN_IN,
  },
  not_found: { happened: 'There is no such thing any more, or it is not yours.' },
  provider_not_configured: {
    happened: 'This way to sign in is switched off here.',
    advice: 'Sign in with your password.',
    link: SIGN_IN,
  },
  method_not_allowed: { happened: 'The service does not know this call.', advice: 'Load this page again.' },
  api_key_exists: {
    happened: 'You have a key already.',
    advice: 'An account has one. Revoke it first.',
    link: KEY,
  },
  credentials_not_configured: {
    happened: 'The service has no credentials of yours for this exchange.',
    advice: 'Store them first.',
    link: CREDENTIALS,
  },
  credentials_rejected: {
    happened: 'The exchange refused your stored credentials.',
    advice: 'Replace them with ones that are valid.',
    link: CREDENTIALS,
  },
  idempotency_in_progress: { happened: 'The same call is under way already.', advice: 'Wait for it.', wait: 2 },
  payload_too_large: { happened: 'What was sent is too long.', advice: 'Shorten it.' },
  unsupported_media_type: { happened: 'The service does not know this call.', advice: 'Load this page again.' },
  exchange_rejected: { happened: 'The exchange refused this.', advice: 'Its reason is under Details.' },
  idempotency_key_abandoned: { happened: 'This key was given up.', advice: 'Take a new one.' },
  idempotency_key_reused: { happened: 'This key was used for another call.', advice: 'Take a new one.' },
  not_supported: { happened: 'This exchange cannot do that.' },
  weak_password: { happened: 'Choose another password.' },
  exchange_rate_limited: { happened: 'The exchange asks for a pause.', wait: 2 },
  rate_limited: { happened: 'These were too many calls in a short time.', wait: 10 },
  internal_error: {
    happened: 'The service made a mistake.',
    advice: 'Try again. If it stays so, tell its operator the request id under Details.',
  },
  exchange_error: {
    happened: 'The exchange has trouble: it was out of reach, or answered what cannot be used.',
    advice: 'That is mostly over within a minute.',
    wait: 0,
  },
  oauth_provider_error: {
    happened: 'The sign-in provider has trouble.',
    advice: 'Try again, or sign in with your password.',
    link: SIGN_IN,
  },
  exchange_unavailable: { happened: 'The exchange takes no calls now.', wait: 0 },
  service_unavailable: { happened: 'The service is starting, or short of something it needs.', wait: 5 },
  exchange_timeout: { happened: 'The exchange took too long to answer.', wait: 0 },
  oauth_provider_timeout: {
    happened: 'The sign-in provider took too long to answer.',
    advice: 'Try again, or sign in with your password.',
    link: SIGN_IN,
  },
  order_outcome_unknown: {
    happened: 'Not known whether the exchange took the order.',
    advice: 'Look whether it is open before you send another.',
    link: { to: '/portfolio', label: 'See your open orders' },
  },
  transfer_outcome_unknown: {
    happened: 'Not known whether the money was moved.',
    advice: 'Look at the balance before you move it again.',
  },
};

type Reasons = typeof ERROR_REASONS;

/** Where the reason says more than the code: each reason of each code has its words, and there are none besides (errors.md). */
const BY_REASON: { readonly [C in keyof Reasons]: Readonly<Record<Reasons[C][number], Words>> } = {
  bad_request: {
    wrong_domain: {
      happened: 'The order is signed for another contract.',
      advice: 'Which one is meant is under Details.',
    },
  },
  forbidden: {
    another_account: {
      happened: 'This link is for another account than the one that is signed in here.',
      advice: 'Sign out first.',
    },
    api_key_required: { happened: 'Only a program with an API key may do this.' },
    confirmation_required: {
      happened: 'Nothing was done, as you did not confirm that it is you.',
      advice: 'Try again, or sign out and in again.',
    },
  },
  rate_limited: {
    abandoned_keys: { happened: 'Too many keys were given up today that made no order.', wait: 60 },
    orders_per_day: {
      happened: 'As many orders were asked for today as one user may.',
      advice: 'A day ends at 00:00 UTC. Cancels work all the time.',
    },
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

/** Of this dashboard itself. */
const BY_OWN_CODE: Readonly<Record<string, Words>> = {
  fields: { happened: 'Nothing was changed: look at the marked fields.' },
  unreachable: {
    happened: 'The service cannot be reached.',
    advice: 'Check your connection. Nothing was lost.',
    wait: 0,
  },
  unreadable: {
    happened: 'The service gave an answer that cannot be read.',
    advice: 'Try again in a minute.',
    wait: 0,
  },
};

const BROKEN: Words = { happened: 'This page made a mistake.', advice: 'Load it again.' };

function wordsOf({ code, message, details, requestId }: Failure): Words {
  const all: Readonly<Record<string, Words>> = BY_CODE;
  const reasons: Readonly<Record<string, Readonly<Record<string, Words>>>> = BY_REASON;
  const words = reasons[code]?.[String(details.reason)] ?? BY_OWN_CODE[code] ?? all[code];
  // What this dashboard found out by itself, without an answer of the service, it says in words of its own.
  if (words === undefined || (requestId === null && code in BY_CODE)) return { ...words, happened: message };
  return words;
}

/** An error in words. */
export interface Explanation extends Pick<Words, 'happened' | 'advice' | 'link'> {
  /** From when on another try can help, in milliseconds of this machine's clock; 0 for at once. */
  readonly retryAt: number;
  /** As the service said it, for whoever asks its operator; null where it says no more. */
  readonly said: string | null;
  readonly requestId: string | null;
}

/** The one place that turns errors into words. */
export function explain(error: unknown): Explanation {
  if (!(error instanceof Failure)) {
    const said = error instanceof Error ? error.message : null;
    return { ...BROKEN, retryAt: 0, said, requestId: null };
  }
  const { wait = 0, ...words } = wordsOf(error);
  const seconds = error.retryAfter ?? wait;
  const said = error.message === words.happened || error.message === '' ? null : error.message;
  return { ...words, retryAt: seconds === 0 ? 0 : error.at + seconds * 1_000, said, requestId: error.requestId };
}

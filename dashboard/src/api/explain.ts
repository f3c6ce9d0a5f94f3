import type { ErrorCode } from '../../../src/platform/errors/error-codes.js';
import { BOTS, BY_REASON, CREDENTIALS, KEY, SIGN_IN, SIGNED_OUT, type Words } from './explain-reasons.js';
import { Failure } from './failure.js';

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
  bot_halted: { happened: 'This bot is halted.', advice: 'It sends no order until you resume it.', link: BOTS },
  limit_exceeded: { happened: 'A limit of this bot refused the order.', advice: 'Nothing was sent.' },
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
  bot_expired: { happened: 'The end of this bot has come.', advice: 'Set a later end first, then resume it.' },
  orders_unsettled: {
    happened: 'An order of this bot may still be on its way, so it stays halted.',
    advice: 'Resume it once the order is settled: mostly within a minute.',
    wait: 5,
  },
  bot_limit_reached: { happened: 'You have as many bots as one user may.', advice: 'Remove one first.', link: BOTS },
  bot_name_taken: { happened: 'Another bot of yours has this name.', advice: 'Choose another.' },
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
  order_of_another_bot: { happened: 'Another bot of yours, or your main key, has sent this order.' },
  preview_expired: { happened: 'This preview was not placed in time.', advice: 'Preview the order again.' },
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
  slow_consumer: { happened: 'The connection is too slow for all that changes.', wait: 5 },
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

/** Why an order was refused, in words: by the reason, or the code where there was none; null for one that is not known. */
export function explainRefusal(reason: string): Omit<Words, 'wait'> | null {
  const byReason: readonly Readonly<Record<string, Words>>[] = Object.values(BY_REASON);
  const byCode: Readonly<Record<string, Words>> = BY_CODE;
  return byReason.map((words) => words[reason]).find((words) => words !== undefined) ?? byCode[reason] ?? null;
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

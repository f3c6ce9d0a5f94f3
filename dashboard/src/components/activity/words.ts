import type { Activity } from '../../api/activity.js';
import { exchangeName } from '../names.js';

type Details = Readonly<Record<string, unknown>>;

const LONGEST = 40;

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '?';
}

/** Long ids of markets, as Polymarket has them, in few signs: an order's life names the whole. */
function shortened(id: string): string {
  return id.length > LONGEST ? `${id.slice(0, 10)}…${id.slice(-6)}` : id;
}

/** What an order was, where it is known: an order of unknown fate is noted by its ids alone. */
function orderOf({ side, size, price, market_id: market }: Details): string {
  if (side === undefined) return 'an order';
  return `an order to ${textOf(side)} ${textOf(size)} at ${textOf(price)} on ${shortened(textOf(market))}`;
}

const ORDER_OUTCOMES: Readonly<Record<string, string>> = {
  unknown: 'The exchange did not say what became of',
  open: 'Placed, and open:',
  pending: 'Placed, not yet decided:',
  partially_filled: 'Placed, and filled in part at once:',
  filled: 'Placed, and filled at once:',
  cancelled: 'Placed, and what did not fill at once was cancelled:',
  expired: 'Placed, and expired:',
  rejected: 'Rejected:',
};

const WORDS: Readonly<Record<string, (event: Activity, details: Details) => string>> = {
  signup: () => 'The account was made',
  email_verified: () => 'The address was verified',
  login: (_, { provider, new_device: isNew }) =>
    `Signed in${provider === 'email' ? ' with the password' : ` with ${textOf(provider)}`}${isNew === true ? ', on a new device' : ''}`,
  login_failed: (_, { confirmation }) =>
    confirmation === true ? 'A wrong password for a change of the account' : 'A sign-in with a wrong password',
  logout: () => 'Signed out',
  refresh_reuse: () => 'An old sign-in was used again, and was ended for safety',
  password_reset_requested: () => 'A link for a new password was asked for',
  password_changed: () => 'The password was changed',
  oauth_linked: (_, { provider }) => `Sign-in with ${textOf(provider)} was added`,
  account_taken_over: (_, { provider }) => `Taken over by a sign-in with ${textOf(provider)}: the password is gone`,
  api_key_created: (_, { name, scopes }) => `The API key “${textOf(name)}” was created (${textOf(scopes)})`,
  api_key_revoked: () => 'The API key was revoked',
  credentials_stored: ({ exchange }) => `Credentials for ${exchangeName(exchange)} were stored`,
  credentials_removed: ({ exchange }) => `Credentials for ${exchangeName(exchange)} were removed`,
  session_key_created: ({ exchange }) => `A session key for ${exchangeName(exchange)} was made`,
  session_key_activated: ({ exchange }) => `The session key for ${exchangeName(exchange)} was taken into use`,
  session_key_removed: ({ exchange }) => `The session key for ${exchangeName(exchange)} was removed`,
  scope_refused: () => 'The API key asked for more than it may',
  order_created: (_, details) =>
    `${ORDER_OUTCOMES[String(details.outcome)] ?? textOf(details.outcome)} ${orderOf(details)}`,
  order_cancelled: () => 'An order was cancelled',
  transfer_created: (_, { amount, from_shard: from, to_shard: to }) =>
    `${textOf(amount)} moved from shard ${textOf(from)} to ${textOf(to)}`,
};

/** What happened, in words. */
export function wordsOf(event: Activity): string {
  return WORDS[event.type]?.(event, event.details) ?? event.type;
}

/** Who did it. */
export function whoDid({ key_prefix: key, type }: Activity): string {
  if (key === null) return type === 'login_failed' ? 'Somebody without the password' : 'You, signed in';
  return type.startsWith('api_key_') ? `You, signed in, about ${key}…` : `Key ${key}…`;
}

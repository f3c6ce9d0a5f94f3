import type { Activity } from '../../api/activity.js';
import { plainText } from '../foreign-text.js';
import { exchangeName } from '../names.js';

type Details = Readonly<Record<string, unknown>>;

const LONGEST = 40;

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '?';
}

/** Long ids of markets in few signs: an order's life names the whole. */
function shortened(id: string): string {
  return id.length > LONGEST ? `${id.slice(0, 10)}…${id.slice(-6)}` : id;
}

/** Which outcome an order is of: by its name, or by its place where it was noted before names were. */
function outcomeOf({ outcome_label: label, outcome_index: index }: Details): string {
  if (typeof label === 'string') return ` “${plainText(label, LONGEST)}”`;
  return typeof index === 'number' ? ` of outcome ${index}` : '';
}

/** What an order was, where it is known: an order of unknown fate is noted by its ids alone. */
function orderOf(details: Details): string {
  const { side, size, price, market_id: market } = details;
  if (side === undefined) return 'an order';
  const what = `${textOf(side)} ${textOf(size)}${outcomeOf(details)}`;
  return `an order to ${what} at ${textOf(price)} on ${shortened(textOf(market))}`;
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
    `Signed in${provider === 'email' ? ' with the password' : ` with ${textOf(provider)}`}${isNew === true ? ', from a new device or network' : ''}`,
  login_failed: (_, { confirmation }) =>
    confirmation === true ? 'A wrong password for a change of the account' : 'A sign-in with a wrong password',
  logout: () => 'Signed out',
  refresh_reuse: () => 'An old sign-in was used again, and was ended for safety',
  password_reset_requested: () => 'A link for a new password was asked for',
  password_changed: () => 'The password was changed',
  oauth_linked: (_, { provider }) => `Sign-in with ${textOf(provider)} was added`,
  account_taken_over: (_, { provider }) =>
    `Taken over by ${provider === 'email' ? 'the link in a mail' : `a sign-in with ${textOf(provider)}`}: the password is gone`,
  api_key_created: (_, { name, scopes }) => `The API key “${textOf(name)}” was created (${textOf(scopes)})`,
  api_key_revoked: () => 'The API key was revoked',
  credentials_stored: ({ exchange }) => `Credentials for ${exchangeName(exchange)} were stored`,
  credentials_removed: ({ exchange }) => `Credentials for ${exchangeName(exchange)} were removed`,
  session_key_created: ({ exchange }) => `A session key for ${exchangeName(exchange)} was made`,
  session_key_activated: ({ exchange }) => `The session key for ${exchangeName(exchange)} was taken into use`,
  session_key_removed: ({ exchange }) => `The session key for ${exchangeName(exchange)} was removed`,
  scope_refused: () => 'The API key asked for more than it may',
  order_previewed: (_, details) => `Previewed, and by that not sent: ${orderOf(details)}`,
  order_created: (_, details) =>
    `${ORDER_OUTCOMES[String(details.outcome)] ?? textOf(details.outcome)} ${orderOf(details)}`,
  order_amended: (_, { outcome }) =>
    outcome === 'unknown' ? 'An order may have been changed' : 'An order was changed',
  order_cancelled: () => 'An order was cancelled',
  transfer_created: (_, { amount, from_shard: from, to_shard: to }) =>
    `${textOf(amount)} moved from shard ${textOf(from)} to ${textOf(to)}`,
  bot_created: (_, { name, scopes }) => `The bot “${textOf(name)}” was created (${textOf(scopes)})`,
  bot_changed: (_, { name }) => `The bot “${textOf(name)}” was changed`,
  bot_key_rotated: (_, { name }) => `The bot “${textOf(name)}” got a new key`,
  bot_halted: (_, { name }) => `The bot “${textOf(name)}” was halted`,
  bot_resumed: (_, { name }) => `The bot “${textOf(name)}” goes on`,
  bot_removed: (_, { name }) => `The bot “${textOf(name)}” was removed`,
  order_settled: () => 'The operator has written the end of an order of a bot',
  limit_refused: () => 'An order of a bot was refused by one of its limits',
};

/** What happened, in words. */
export function wordsOf(event: Activity): string {
  return WORDS[event.type]?.(event, event.details) ?? event.type;
}

/** What the client says that it is: an agent's own words, which anybody may say, or the header that programs send. */
export function clientOf({ user_agent: agent, details }: Activity): string | null {
  const { claimed_client: claimed } = details as Details;
  return typeof claimed === 'string' ? `an agent that says it is “${plainText(claimed, 64)}”` : agent;
}

/** Who did what neither a key nor a session is noted for, where it was not somebody signed in. */
const STRANGERS: Readonly<Record<string, string>> = {
  login_failed: 'Somebody without the password',
  password_reset_requested: 'Somebody who was not signed in',
  refresh_reuse: 'Whoever had the old sign-in',
};

/** Who did it: a session is noted where a key might have done the same (contract.md 4). */
export function whoDid({ key_prefix: key, session_id: session, type }: Activity): string {
  const isBySession =
    session !== null ||
    key === null ||
    type.startsWith('api_key_') ||
    ['bot_created', 'bot_key_rotated'].includes(type);
  if (!isBySession) return `Key ${key}…`;
  return key === null ? (STRANGERS[type] ?? 'You, signed in') : `You, signed in, about ${key}…`;
}

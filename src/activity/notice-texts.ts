import type { StoredActivityEvent } from './activity.repository.js';
import type { ActivityEventType } from './activity-event.js';

/** The text of a notice, without when and from where. */
export interface Notice {
  readonly subject: string;
  readonly text: string;
  readonly facts: readonly (readonly [label: string, value: string])[];
  /** What helps where it was not the owner. */
  readonly closing: readonly string[];
}

type Facts = Pick<StoredActivityEvent, 'type' | 'keyPrefix' | 'botId' | 'exchange' | 'details'>;

const KEY = ({ keyPrefix }: Facts) => [['API key', `${keyPrefix ?? ''}…`]] as const;
const BOT = ({ botId }: Facts) => [['Bot', botId ?? '']] as const;
const BOT_KEY = (event: Facts) => [...BOT(event), ...KEY(event)];
const EXCHANGE = ({ exchange }: Facts) => [['Exchange', exchange ?? '']] as const;
const PROVIDER = ({ details }: Facts) => [['Provider', String(details.provider)]] as const;
const PROOF = (event: Facts) =>
  event.details.provider === 'email' ? ([['Proved by', 'the link in a mail']] as const) : PROVIDER(event);
const KEY_FACTS = [
  ['kept_api_key', 'API key that still works'],
  ['revoked_api_key', 'API key that was revoked'],
] as const;
/** What became of the API key with a change of the password, or with a lock. */
const KEYS = ({ details }: Facts): Notice['facts'] =>
  KEY_FACTS.flatMap(([name, label]) => {
    const prefix = details[name];
    return typeof prefix === 'string' ? [[label, `${prefix}…`] as const] : [];
  });

/** One step, so that a thief has no time between two: had the owner revoked the key first, the thief would make a new one. */
const RESET =
  'If this was not you, set a new password at once with the link above, and leave "Revoke the API key too" ticked: that ends every session, and the key with them.';
/** A reset leaves accounts at providers linked. */
const AT_PROVIDER =
  'If this was not you, somebody else can use your account at this provider: make that one safe first, else they sign in again.';
const ASK_OPERATOR = 'If you cannot, ask the operator of this service to lock your account.';

const KEPT =
  'The API key named above goes on working. Where somebody else may have it, or has made it, revoke it too: sign in and open the page "API key".';
const PASSWORD_CLOSING = ({ details }: Facts): readonly string[] => [
  ...(typeof details.kept_api_key === 'string' ? [KEPT] : []),
  RESET,
  ASK_OPERATOR,
];

const HALT_WORDS: Readonly<Record<string, string>> = {
  operator: 'the operator of this service',
  bot: 'the bot itself',
  heartbeat_missed: 'its heartbeat was missed',
  expired: 'its end has come',
  restored: 'the service was restored from a backup',
};
const BOT_HALT = (event: Facts) =>
  [...BOT(event), ['Cause', HALT_WORDS[String(event.details.reason)] ?? String(event.details.reason)]] as const;
const SETTLED = (event: Facts): Notice['facts'] => {
  const { order_id: order, client_order_id: client, market_id: market, filled_size: filled } = event.details;
  const named = [
    ['Order', order ?? client],
    ['Market', market],
    ['Counts as filled', filled],
  ] as const;
  return [...BOT(event), ...EXCHANGE(event), ...named.map(([label, value]) => [label, String(value)] as const)];
};
const BOTS_CLOSING = 'Look at your bots, and halt or remove those that you do not know.';

const NOTICES: Partial<
  Record<
    ActivityEventType,
    {
      readonly subject: string;
      readonly text: string;
      readonly facts?: (event: Facts) => Notice['facts'];
      /** Without one, a reset of the password helps. */
      readonly closing?: readonly string[] | ((event: Facts) => readonly string[]);
    }
  >
> = {
  api_key_created: {
    subject: 'An API key was created',
    text: 'A new API key can now trade or read for you.',
    facts: KEY,
  },
  api_key_revoked: { subject: 'An API key was revoked', text: 'This API key does not work any more.', facts: KEY },
  bot_created: {
    subject: 'A bot was created',
    text: 'A new bot, a program with a key of its own, can now trade or read for you.',
    facts: BOT_KEY,
    closing: [RESET, BOTS_CLOSING],
  },
  bot_key_rotated: {
    subject: 'A bot got a new key',
    text: 'A new key was made for one of your bots.',
    facts: BOT_KEY,
    closing: [RESET, BOTS_CLOSING],
  },
  bot_halted: {
    subject: 'A bot was halted',
    text: 'One of your bots sends no orders any more. It goes on when you resume it.',
    facts: BOT_HALT,
    closing: ['Look at its orders and positions, then resume it where it is to go on.'],
  },
  bot_removed: {
    subject: 'A bot was removed',
    text: 'One of your bots was removed, and its keys do not work any more.',
    facts: BOT,
  },
  order_settled: {
    subject: 'An order of a bot was settled by hand',
    text: 'For a day nothing proved what became of an order of one of your bots. The operator of this service has written its end, so that it takes nothing of the limits of the bot any more.',
    facts: SETTLED,
    closing: ['Look at your orders at the exchange: where this one is open still, cancel it there.'],
  },
  credentials_stored: {
    subject: 'Exchange credentials were stored',
    text: 'Credentials for an exchange were stored in your account. They replace those that were there.',
    facts: EXCHANGE,
    closing: [RESET, 'Then store your own credentials again: a reset leaves what is stored as it is.'],
  },
  credentials_removed: {
    subject: 'Exchange credentials were removed',
    text: 'The credentials for an exchange were removed from your account.',
    facts: EXCHANGE,
    closing: [RESET, 'Then store your credentials again.'],
  },
  session_key_activated: {
    subject: 'A session key can trade for you',
    text: 'A session key was taken into use: orders from plain parameters are signed with it. It cannot move funds out.',
    facts: EXCHANGE,
    closing: [
      RESET,
      'Then remove the session key from your account, and revoke it at the exchange: a reset leaves it.',
    ],
  },
  session_key_removed: {
    subject: 'A session key was removed',
    text: 'The session key was removed from your account here. Its owner can still revoke it at the exchange.',
    facts: EXCHANGE,
  },
  password_changed: {
    subject: 'Your password was changed',
    text: 'The password of your account was changed. Other sessions have ended.',
    facts: KEYS,
    closing: PASSWORD_CLOSING,
  },
  oauth_linked: {
    subject: 'A way to sign in was added',
    text: 'An account at a provider can now sign in to your account.',
    facts: PROVIDER,
    closing: [AT_PROVIDER, RESET],
  },
  account_taken_over: {
    subject: 'Your account was made safe',
    text: 'You proved the address of an account that somebody had made without a proof: by a provider, or by the link in a mail. Whatever was in it before was removed: password, sessions, API key and exchange credentials.',
    facts: PROOF,
    closing: [AT_PROVIDER, RESET],
  },
  refresh_reuse: {
    subject: 'A session was ended',
    text: 'A session of yours was ended because one of its old tokens was used again, which may mean that it was stolen.',
  },
  login: {
    subject: 'Sign-in from a new device',
    text: 'Your account was signed in to from a device or a network that it has not been used from in the last 30 days.',
  },
  account_locked: {
    subject: 'Your account was locked',
    text: 'The operator of this service has locked your account, since somebody else may have got into it: every session has ended, and the password and the API key do not work any more.',
    facts: KEYS,
    closing: [
      'Set a new password with the link above, then make a new API key for your programs.',
      'Your exchange credentials are still stored. Look at your activity for what was done meanwhile; where you do not know the credentials that are stored, store your own again, and replace them at the exchange.',
    ],
  },
  sessions_ended: {
    subject: 'Your sessions were ended',
    text: 'The operator of this service has ended every session of your account. Your password and your API key go on working.',
    closing: ['Sign in again. Where somebody else may know your password, set a new one with the link above.'],
  },
};

/** Halts that the owner made. */
const OWN_HALTS: readonly unknown[] = ['owner', 'all_bots'];

/** Whether there is nothing to tell: a sign-in is worth a notice only from a new device, a halt only where the owner did not make it. */
function isExpected({ type, details }: Facts): boolean {
  if (type === 'login') return details.new_device !== true;
  return type === 'bot_halted' && OWN_HALTS.includes(details.reason);
}

/** Whether each event has a mail of its own, whatever else happens meanwhile. */
export function isNeverBundled({ type }: Pick<Facts, 'type'>): boolean {
  return type === 'bot_halted';
}

/** The notice of an event; null where it is worth none. */
export function noticeOf(event: Facts): Notice | null {
  const notice = Object.entries(NOTICES).find(([type]) => type === event.type)?.[1];
  if (notice === undefined || isExpected(event)) return null;
  const { subject, text, facts, closing = [RESET, ASK_OPERATOR] } = notice;
  return {
    subject,
    text,
    facts: facts?.(event) ?? [],
    closing: typeof closing === 'function' ? closing(event) : closing,
  };
}

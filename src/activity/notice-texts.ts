import type { StoredActivityEvent } from './activity.repository.js';
import type { ActivityEventType } from './activity-event.js';

/** The text of a notice, without when and from where. */
export interface Notice {
  readonly subject: string;
  readonly text: string;
  readonly facts: readonly (readonly [label: string, value: string])[];
}

type Facts = Pick<StoredActivityEvent, 'type' | 'keyPrefix' | 'exchange' | 'details'>;

const KEY = ({ keyPrefix }: Facts) => [['API key', `${keyPrefix ?? ''}…`]] as const;
const EXCHANGE = ({ exchange }: Facts) => [['Exchange', exchange ?? '']] as const;
const PROVIDER = ({ details }: Facts) => [['Provider', String(details.provider)]] as const;
const KEPT_KEYS = ({ details }: Facts) =>
  typeof details.kept_api_key === 'string' ? ([['API key that still works', `${details.kept_api_key}…`]] as const) : [];

const NOTICES: Partial<
  Record<ActivityEventType, { subject: string; text: string; facts?: (event: Facts) => Notice['facts'] }>
> = {
  api_key_created: {
    subject: 'An API key was created',
    text: 'A new API key can now trade or read for you.',
    facts: KEY,
  },
  api_key_revoked: { subject: 'An API key was revoked', text: 'This API key does not work any more.', facts: KEY },
  credentials_stored: {
    subject: 'Exchange credentials were stored',
    text: 'Credentials for an exchange were stored in your account. They replace those that were there.',
    facts: EXCHANGE,
  },
  credentials_removed: {
    subject: 'Exchange credentials were removed',
    text: 'The credentials for an exchange were removed from your account.',
    facts: EXCHANGE,
  },
  session_key_activated: {
    subject: 'A session key can trade for you',
    text: 'A session key was taken into use: orders from plain parameters are signed with it. It cannot move funds out.',
    facts: EXCHANGE,
  },
  session_key_removed: {
    subject: 'A session key was removed',
    text: 'The session key was removed from your account here. Its owner can still revoke it at the exchange.',
    facts: EXCHANGE,
  },
  password_changed: {
    subject: 'Your password was changed',
    text: 'The password of your account was changed. Other sessions have ended.',
    facts: KEPT_KEYS,
  },
  oauth_linked: {
    subject: 'A way to sign in was added',
    text: 'An account at a provider can now sign in to your account.',
    facts: PROVIDER,
  },
  account_taken_over: {
    subject: 'Your account was made safe',
    text: 'You signed in through a provider to an account whose address had never been proved. Whatever was in it before was removed: password, sessions, API key and exchange credentials.',
    facts: PROVIDER,
  },
  refresh_reuse: {
    subject: 'A session was ended',
    text: 'A session of yours was ended because one of its old tokens was used again, which may mean that it was stolen.',
  },
  login: {
    subject: 'Sign-in from a new device',
    text: 'Your account was signed in to from a device that it has not seen before.',
  },
};

/** The notice of an event; null where it is worth none. A sign-in is worth one only from a new device. */
export function noticeOf(event: Facts): Notice | null {
  const notice = Object.entries(NOTICES).find(([type]) => type === event.type)?.[1];
  if (notice === undefined || (event.type === 'login' && event.details.new_device !== true)) return null;
  return { subject: notice.subject, text: notice.text, facts: notice.facts?.(event) ?? [] };
}

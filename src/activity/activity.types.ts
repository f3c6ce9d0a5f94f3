import type { RequestContext } from '../platform/http/request-context.js';

/** What a person sees in his own activity (DESIGN 4). */
export const ACTIVITY_TYPES = [
  'signup',
  'email_verified',
  'login',
  'login_failed',
  'logout',
  'refresh_reuse',
  'password_reset_requested',
  'password_changed',
  'oauth_linked',
  'account_taken_over',
  'api_key_created',
  'api_key_revoked',
  'credentials_stored',
  'credentials_removed',
  'scope_refused',
  'order_created',
  'order_cancelled',
] as const;

type ActivityType = (typeof ACTIVITY_TYPES)[number];

/** The others are kept for the operator only (S-41). */
export type SecurityEventType =
  | ActivityType
  | 'limit_hit'
  | 'decrypt_failed'
  | 'session_revoked'
  | 'account_deleted'
  | 'account_disabled'
  | 'account_enabled'
  | 'mail_given_up';

/** One thing that happened. */
export interface SecurityEvent {
  readonly type: SecurityEventType;
  /** Null where it concerns nobody we know. */
  readonly userId: string | null;
  readonly keyPrefix?: string;
  readonly exchange?: string;
  /** Small, and never a secret. */
  readonly details?: Readonly<Record<string, string | number | boolean | null>>;
  /** Part of a greater change, of which its owner is told already: no mail of its own. */
  readonly isPart?: true;
  /** Who asked, where it is written later than asked; else the current request. */
  readonly origin?: RequestContext | undefined;
}

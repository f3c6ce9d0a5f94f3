import type { RequestOrigin } from '../platform/logging/current-request.js';

/** Types of the events that users see in their own activity (contract.md 4). */
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
  'session_key_created',
  'session_key_activated',
  'session_key_removed',
  'scope_refused',
  'order_created',
  'order_cancelled',
  'transfer_created',
] as const;

/** Those that users do not see are kept for the operator (S-41). */
export type ActivityEventType =
  | (typeof ACTIVITY_TYPES)[number]
  | 'limit_hit'
  | 'decrypt_failed'
  | 'session_revoked'
  | 'account_deleted'
  | 'account_disabled'
  | 'account_enabled'
  | 'mail_given_up';

/** One thing that happened, as a feature records it. */
export interface ActivityEvent {
  readonly type: ActivityEventType;
  /** Null where it concerns no known user. */
  readonly userId: string | null;
  readonly keyPrefix?: string;
  readonly exchange?: string;
  /** Small, and never a secret. */
  readonly details?: Readonly<Record<string, string | number | boolean | null>>;
  /** Part of a greater change that its owner gets a notice of: no notice of its own. */
  readonly isPart?: true;
  /** The request that caused it, where it is recorded later; else the current request. */
  readonly origin?: RequestOrigin | undefined;
}

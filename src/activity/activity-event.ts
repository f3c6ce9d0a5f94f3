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
  'order_previewed',
  'order_created',
  'order_amended',
  'order_cancelled',
  'order_settled',
  'transfer_created',
  'bot_created',
  'bot_changed',
  'bot_key_rotated',
  'bot_halted',
  'bot_resumed',
  'bot_removed',
  'limit_refused',
] as const;

/** Types of all events. Those that users do not see are kept for the operator (S-41). */
export type ActivityEventType =
  | (typeof ACTIVITY_TYPES)[number]
  | 'limit_hit'
  | 'decrypt_failed'
  | 'session_revoked'
  | 'account_deleted'
  | 'account_disabled'
  | 'account_locked'
  | 'sessions_ended'
  | 'account_enabled'
  | 'mail_given_up';

/** One thing that happened, as a feature records it. */
export interface ActivityEvent {
  readonly type: ActivityEventType;
  /** Null where it concerns no known user. */
  readonly userId: string | null;
  /** The API key that did it, or that is meant. */
  readonly keyPrefix?: string;
  /** The bot that did it, or that is meant. */
  readonly botId?: string | null;
  /** The session that made the change, on routes that an API key may call too (contract.md 4). */
  readonly sessionId?: string;
  readonly exchange?: string;
  /** Small, and never a secret. */
  readonly details?: Readonly<Record<string, string | number | boolean | null>>;
  /** Set for a part of a larger change: the owner gets the notice of that change, and none of this event. */
  readonly isPart?: true;
  /** The request that caused the event, given where the event is recorded later; by default the current request. */
  readonly origin?: RequestOrigin | undefined;
}

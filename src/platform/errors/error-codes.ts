/** Every error code of the API with its HTTP status and whether a repeat can help (contract.md 3). */
export const ERROR_CODES = {
  bad_request: { status: 400, retryable: false },
  invalid_token: { status: 400, retryable: false },
  oauth_failed: { status: 400, retryable: false },
  redirect_uri_not_allowed: { status: 400, retryable: false },
  unauthorized: { status: 401, retryable: false },
  invalid_credentials: { status: 401, retryable: false },
  forbidden: { status: 403, retryable: false },
  email_not_verified: { status: 403, retryable: false },
  signup_not_allowed: { status: 403, retryable: false },
  not_found: { status: 404, retryable: false },
  provider_not_configured: { status: 404, retryable: false },
  method_not_allowed: { status: 405, retryable: false },
  api_key_exists: { status: 409, retryable: false },
  credentials_not_configured: { status: 409, retryable: false },
  credentials_rejected: { status: 409, retryable: false },
  idempotency_in_progress: { status: 409, retryable: true },
  idempotency_key_abandoned: { status: 409, retryable: false },
  payload_too_large: { status: 413, retryable: false },
  unsupported_media_type: { status: 415, retryable: false },
  exchange_rejected: { status: 422, retryable: false },
  idempotency_key_reused: { status: 422, retryable: false },
  not_supported: { status: 422, retryable: false },
  weak_password: { status: 422, retryable: false },
  exchange_rate_limited: { status: 429, retryable: true },
  rate_limited: { status: 429, retryable: true },
  internal_error: { status: 500, retryable: false },
  exchange_error: { status: 502, retryable: true },
  oauth_provider_error: { status: 502, retryable: true },
  exchange_unavailable: { status: 503, retryable: true },
  service_unavailable: { status: 503, retryable: true },
  exchange_timeout: { status: 504, retryable: true },
  oauth_provider_timeout: { status: 504, retryable: true },
  order_outcome_unknown: { status: 504, retryable: false },
  transfer_outcome_unknown: { status: 504, retryable: false },
} as const satisfies Record<string, { status: number; retryable: boolean }>;

/** A stable error code of the API (contract.md 3). */
export type ErrorCode = keyof typeof ERROR_CODES;

/** The values of `details.reason` by code; a code may also come without one. What to do about each: errors.md. */
export const ERROR_REASONS = {
  bad_request: ['wrong_domain'],
  forbidden: ['another_account', 'api_key_required', 'confirmation_required'],
  oauth_failed: ['account_disabled', 'code_rejected', 'email_unverified', 'identity_taken', 'other_account'],
  unauthorized: ['invalid', 'key_revoked', 'missing', 'token_expired', 'wrong_token_type'],
  credentials_not_configured: ['session_key_required'],
  credentials_rejected: ['session_key_expired', 'session_key_not_authorized'],
  exchange_rejected: [
    'allowance_missing',
    'attestation_expired',
    'closed_only',
    'duplicate_order',
    'duplicate_transfer',
    'insufficient_funds',
    'invalid_order',
    'market_closed',
    'not_cancellable',
    'not_filled',
    'permission_denied',
    'would_cross',
  ],
  not_supported: ['market_version'],
  rate_limited: ['abandoned_keys', 'orders_per_day'],
  exchange_error: ['clock_skew'],
  exchange_unavailable: ['search_incomplete', 'session_key_settling'],
  service_unavailable: ['credentials_changed'],
  order_outcome_unknown: ['credentials_changed', 'search_incomplete'],
  transfer_outcome_unknown: ['credentials_changed'],
} as const satisfies Partial<Record<ErrorCode, readonly string[]>>;

/** A stable value of `details.reason`. */
export type ErrorReason = (typeof ERROR_REASONS)[keyof typeof ERROR_REASONS][number];

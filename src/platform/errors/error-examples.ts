import type { ErrorDetails } from './app-error.js';
import { ERROR_CODES, ERROR_REASONS, type ErrorCode } from './error-codes.js';

interface Told {
  readonly message: string;
  readonly details?: ErrorDetails;
}

const KALSHI = { id: 'kalshi', status: null, code: null } as const;
const ORDER = { client_order_id: '2b8394e0-515e-4b89-b624-f34067756855' } as const;

/** What one error of each code says, for the OpenAPI document. */
const TOLD: Readonly<Record<ErrorCode, Told>> = {
  bad_request: {
    message: 'The request is not valid: price must be a decimal string above 0 and below 1.',
    details: { fields: [{ field: 'price', message: 'must be a decimal string above 0 and below 1' }] },
  },
  invalid_token: { message: 'This link is not valid any more. Ask for a new one.' },
  oauth_failed: {
    message: 'The provider does not accept this code. Start the sign-in again.',
    details: { reason: 'code_rejected' },
  },
  redirect_uri_not_allowed: { message: 'This redirect_uri is not on the list of OAUTH_REDIRECT_URIS.' },
  unauthorized: { message: 'Send a credential as Authorization: Bearer.', details: { reason: 'missing' } },
  invalid_credentials: { message: 'The e-mail address or the password is wrong.' },
  forbidden: { message: 'This API key lacks the trade scope.', details: { required_scope: 'trade' } },
  bot_halted: {
    message: 'This bot is halted: it may read and cancel, but send no order. Its owner resumes it.',
    details: { reason: 'owner', since: '2026-11-20T15:00:00.164Z' },
  },
  orders_unsettled: { message: 'An order of this bot may still be on its way.' },
  limit_exceeded: {
    message: 'The order would pass the limit max_open_risk of this bot. Nothing was sent.',
    details: { limit: 'max_open_risk', allowed: '100', used: '97.4', asked: '4.2', resets_at: null },
  },
  email_not_verified: {
    message: 'Your address is not verified yet. Follow the link in your mail; a new one is on its way.',
  },
  signup_not_allowed: {
    message: 'This address cannot sign up here. Ask the operator to approve it, or sign in if you have an account.',
  },
  not_found: { message: 'There is nothing of yours with this id.' },
  provider_not_configured: { message: 'The operator has not switched this provider on.' },
  method_not_allowed: { message: 'This address answers GET only.' },
  api_key_exists: { message: 'You have an API key already. Delete it first, then create a new one.' },
  bot_expired: { message: 'The end of this bot has come. Set a later expires_at first, then resume it.' },
  bot_limit_reached: { message: 'You have 50 bots. Remove one first.' },
  bot_name_taken: { message: 'Another bot of yours has this name. Choose another.' },
  credentials_not_configured: {
    message: 'Store your kalshi credentials first: PUT /account/credentials/kalshi.',
  },
  credentials_rejected: {
    message: 'Kalshi does not accept the stored credentials.',
    details: { exchange: { ...KALSHI, status: 401, code: 'authentication_error' } },
  },
  idempotency_in_progress: { message: 'The first call with this Idempotency-Key still runs. Repeat it shortly.' },
  idempotency_key_abandoned: {
    message: 'This Idempotency-Key was abandoned, so nothing is sent under it. Use a new one for a new order.',
  },
  order_of_another_bot: {
    message: 'Another bot of yours, or your main key, has sent this very order. Send one of your own.',
  },
  preview_expired: {
    message: 'This preview was to be placed within 60 seconds. Nothing was sent: preview the order again.',
  },
  payload_too_large: { message: 'The body may have at most 64 KiB.' },
  unsupported_media_type: { message: 'Send the body as JSON with Content-Type: application/json.' },
  exchange_rejected: {
    message: 'Kalshi has not enough money of yours for this order.',
    details: {
      reason: 'insufficient_funds',
      exchange: { ...KALSHI, status: 400, code: 'insufficient_balance', message: 'insufficient balance' },
      shard: { needed: '2', available: [{ shard: '0', available: '78.0186' }] },
      ...ORDER,
    },
  },
  idempotency_key_reused: { message: 'This Idempotency-Key was used for another request. Use a new one.' },
  not_supported: { message: 'Kalshi cannot do this.' },
  weak_password: { message: 'Choose another password: use more characters.', details: { reasons: ['too_short'] } },
  exchange_rate_limited: {
    message: 'Kalshi asks for fewer calls. Try again later.',
    details: { exchange: { ...KALSHI, status: 429, code: 'too_many_requests' } },
  },
  rate_limited: { message: 'Too many requests. Wait as long as Retry-After says, then try again.' },
  internal_error: { message: 'Something went wrong on our side. Tell the operator the request id.' },
  exchange_error: {
    message: 'Kalshi did not answer as it should. Try again later.',
    details: { exchange: { ...KALSHI, status: 500 } },
  },
  oauth_provider_error: { message: 'The provider did not answer as it should. Try again later.' },
  exchange_unavailable: {
    message: 'Kalshi cannot be reached at the moment. Try again later.',
    details: { exchange: { ...KALSHI, status: 503 } },
  },
  service_unavailable: { message: 'The service cannot reach its database. Try again shortly.' },
  slow_consumer: { message: 'This reader takes its messages too slowly. Read faster, or ask for fewer markets.' },
  exchange_timeout: { message: 'Kalshi did not answer in time. Try again.', details: { exchange: KALSHI } },
  oauth_provider_timeout: { message: 'The provider did not answer in time. Try again.' },
  order_outcome_unknown: {
    message: 'It is not known whether Kalshi took the order.',
    details: { ...ORDER, exchange: KALSHI },
  },
  transfer_outcome_unknown: {
    message: 'It is not known whether Kalshi took the transfer.',
    details: { client_transfer_id: '7b1e2d60-6f9a-4dd7-8f3e-21b8f94c77a2', exchange: KALSHI },
  },
};

interface ErrorExample {
  readonly summary: string;
  readonly description?: string;
  readonly value: object;
}

function exampleOf(code: ErrorCode): ErrorExample {
  const { message, details } = TOLD[code];
  const { retryable } = ERROR_CODES[code];
  const error = { code, message, request_id: 'req_01KAMXB3T6Y7W2S4Q8Z0C1V5N9', retryable, ...(details && { details }) };
  const reasons: Readonly<Partial<Record<ErrorCode, readonly string[]>>> = ERROR_REASONS;
  const named = reasons[code]?.map((reason) => `\`${reason}\``).join(', ');
  return {
    summary: code,
    ...(named !== undefined && { description: `\`details.reason\`, where there is one: ${named}.` }),
    value: { error },
  };
}

/** One example of the errors of each of these codes. */
export function errorExamples(codes: readonly ErrorCode[]): Record<string, ErrorExample> {
  return Object.fromEntries(codes.map((code) => [code, exampleOf(code)]));
}

import { isRecord } from '../wire/json.js';
import { Refusal } from '../wire/refusal.js';

/**
 * Refusals in the exchange's own body shapes (kalshi.md 11): `{ error: { code, message, details? } }` for most,
 * `{ code, message, details }` for JSON of wrong types, `{ msg }` for query parameters, `{ error }` for rate limits.
 * The message is the code in words, as the exchange writes it.
 */
export function refusal(status: number, code: string, details?: string): Refusal {
  return new Refusal(status, { error: errorEntry(code, details) });
}

/** The inner object of the usual shape. */
function errorEntry(code: string, details?: string): { code: string; message: string; details?: string } {
  const message = MESSAGES.get(code) ?? code.toLowerCase().replaceAll('_', ' ');
  return { code, message, ...(details === undefined ? {} : { details }) };
}

/** What a key may not do that is bound to one subaccount (kalshi.md 2.2). */
export function restricted(): Refusal {
  const message = 'this API key is restricted to a single sub-account and cannot access this endpoint';
  return new Refusal(403, { error: { code: 'forbidden', message } });
}

/** An order in a market that needs a location attestation which is missing or has lapsed; the code is the sentence. */
export function notAttested(): Refusal {
  const message =
    'Your location attestation for API trading is missing or expired. Please verify your location in the Kalshi app or website, and then retry.';
  return new Refusal(403, { error: { code: message.replaceAll(' ', '_'), message } });
}

/** A body whose JSON does not fit the order's types. */
export function undecodable(details: string): Refusal {
  return new Refusal(400, { code: 'bad_request', message: 'bad request', details });
}

/** A query parameter that fails validation. */
export function badParameter(msg: string): Refusal {
  return new Refusal(400, { msg });
}

/** The inner object of a refusal of the usual shape; throws any other error again. */
export function entryOf(error: unknown): unknown {
  if (error instanceof Refusal && isRecord(error.body)) return error.body.error;
  throw error;
}

/** The body for a status that a fault asks for. */
export function errorBody(status: number): unknown {
  return status === 429 ? { error: 'too many requests' } : { error: errorEntryOf(status) };
}

/** The same as the error of one item of a batch. */
export function errorEntryOf(status: number): unknown {
  return errorEntry(CODES.get(status) ?? (status < 500 ? 'bad_request' : 'internal_server_error'));
}

const MESSAGES = new Map([
  ['authentication_error', 'authentication_error'],
  ['MARKET_NOT_ACTIVE', 'MARKET_NOT_ACTIVE'],
  ['invalid_UUID', 'invalid UUID'],
  ['deprecated_v1_order_endpoint', 'Please switch to the V2 endpoints'],
]);

const CODES = new Map([
  [401, 'authentication_error'],
  [403, 'forbidden'],
  [404, 'not_found'],
  [409, 'order_already_exists'],
  [410, 'deprecated_v1_order_endpoint'],
  [429, 'too_many_requests'],
  [503, 'service_unavailable'],
]);

import { type Facts, OrderOutcomeUnknown, TradingProxyError } from './errors.js';
import * as kinds from './kinds.js';

const CLASSES: readonly (typeof TradingProxyError)[] = [OrderOutcomeUnknown, ...Object.values(kinds)];

/** The class of a code, or of a reason of `exchange_rejected`. */
const classOf = (code: unknown) => CLASSES.find(({ codes }) => codes.includes(String(code)));

/** The error of a body `{ code, message, … }`; null where it is none of the service's. */
export function errorOf(body: unknown, answer: Facts = {}): TradingProxyError | null {
  if (!isObject(body) || typeof body.code !== 'string' || typeof body.message !== 'string') return null;
  const details = isObject(body.details) ? body.details : {};
  const request_id = typeof body.request_id === 'string' ? body.request_id : null;
  const named = body.code === 'exchange_rejected' ? classOf(details.reason) : undefined;
  const type = named ?? classOf(body.code) ?? TradingProxyError;
  return new type(body.code, body.message, { ...answer, details, request_id, retryable: body.retryable === true });
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

import * as classes from './errors.js';

type Class = typeof classes.TradingProxyError;

/** Codes that share the class of another. */
const SAME: readonly (readonly [RegExp, string])[] = [
  [/^(?:idempotency_.*|order_of_another_bot|orders_unsettled)$/, 'conflict'],
  [/^exchange_(?:timeout|unavailable)$/, 'exchange_error'],
  [/^exchange_rate_limited$/, 'rate_limited'],
  [/^invalid_credentials$/, 'unauthorized'],
  [/^transfer_outcome_unknown$/, 'order_outcome_unknown'],
];

/** The class of a code, or of a reason of `exchange_rejected`: `not_found` is NotFound. */
function classOf(code: string): Class | undefined {
  const word = SAME.find(([codes]) => codes.test(code))?.[1] ?? code;
  const name = word.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const type = new Map<string, unknown>(Object.entries(classes)).get(name);
  return typeof type === 'function' && type.prototype instanceof classes.TradingProxyError
    ? (type as Class)
    : undefined;
}

/** The error of a body `{ code, message, … }`; null where it is none of the service's. */
export function errorOf(body: unknown, answer: classes.Facts = {}): classes.TradingProxyError | null {
  if (!isObject(body) || typeof body.code !== 'string' || typeof body.message !== 'string') return null;
  const details = isObject(body.details) ? body.details : {};
  const request_id = typeof body.request_id === 'string' ? body.request_id : null;
  const named = body.code === 'exchange_rejected' ? classOf(String(details.reason)) : undefined;
  const type = named ?? classOf(body.code) ?? classes.TradingProxyError;
  return new type(body.code, body.message, { ...answer, details, request_id, retryable: body.retryable === true });
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

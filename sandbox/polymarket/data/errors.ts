import { randomBytes } from 'node:crypto';
import { isRecord } from '../../wire/json.js';
import { Refusal } from '../../wire/refusal.js';
import { type WireResponse } from '../../wire/server.js';

/** The error body of the Data API v2 (polymarket.md 6.1). */
interface DataError {
  error: string;
  code: string;
  retryable: boolean;
  trace_id: string;
  parameter?: string;
}

const KINDS: Readonly<Record<number, { code: string; error: string }>> = {
  400: { code: 'invalid_request', error: 'invalid request' },
  401: { code: 'unauthorized', error: 'unauthorized' },
  404: { code: 'not_found', error: 'not found' },
  405: { code: 'method_not_allowed', error: 'method not allowed' },
  429: { code: 'rate_limited', error: 'too many requests' },
  503: { code: 'dependency_unavailable', error: 'dependency unavailable' },
};
const INTERNAL = { code: 'internal', error: 'internal server error' };
const RETRYABLE = new Set([429, 500, 503]);

/** The body for a status that a fault or an unknown path produces; the retired v1 routes are unknown paths. */
export function dataError(status: number): DataError {
  const kind = KINDS[status] ?? INTERNAL;
  return { ...kind, retryable: RETRYABLE.has(status), trace_id: traceId() };
}

/** A 400, with the query parameter that is wrong where it is one. */
export function invalid(error: string, parameter?: string): Refusal {
  const body = { ...dataError(400), error, ...(parameter === undefined ? {} : { parameter }) };
  return new Refusal(400, body);
}

/** Every answer has `x-trace-id`, and an error the same one in its body. */
export function traced(response: WireResponse): WireResponse {
  const id = isRecord(response.body) ? response.body.trace_id : undefined;
  return { ...response, headers: { ...response.headers, 'x-trace-id': typeof id === 'string' ? id : traceId() } };
}

function traceId(): string {
  return randomBytes(8).toString('hex');
}

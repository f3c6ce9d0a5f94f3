import type { Outcome } from './breaker.js';
import type { SizedResponse } from './shared-reads.js';
import { UpstreamError } from './upstream-client.js';

/** How an attempt ended. */
export type AttemptResult = { readonly sized: SizedResponse } | { readonly error: unknown };

const CONNECTION_FAILURES: ReadonlySet<string> = new Set(['unreachable', 'timeout', 'interrupted']);
const RETRIED_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);

/**
 * What an attempt that has ended means for the breaker. 5xx, broken connections and time-outs are failures of the other
 * server, but a time-out only where the call `hadTime`, since a wait in our own queue is not its fault, and a 5xx only where
 * it is no refusal: an error body in the server's own words, about the one account or the one question.
 */
export function outcomeOf(result: AttemptResult, call: { hadTime: boolean; isRefusal: boolean }): Outcome {
  if ('sized' in result) {
    if (result.sized.response.status < 500) return 'success';
    return call.isRefusal ? 'ignored' : 'failure';
  }
  if (!(result.error instanceof UpstreamError)) return 'ignored';
  const { failure } = result.error;
  if (failure === 'aborted' || (failure === 'timeout' && !call.hadTime)) return 'ignored';
  return CONNECTION_FAILURES.has(failure) ? 'failure' : 'success';
}

export function labelOf(result: AttemptResult): string {
  if ('sized' in result) return `${Math.floor(result.sized.response.status / 100)}xx`;
  return result.error instanceof UpstreamError ? result.error.failure : 'internal';
}

/**
 * Connect failures, 502, 503 and 504 of a read, and of a shared one a connection that broke; not where the other server asks
 * to come back later.
 */
export function isWorthRetrying(result: AttemptResult, { shared = false }: { readonly shared?: boolean }): boolean {
  if ('error' in result) {
    const failure = result.error instanceof UpstreamError ? result.error.failure : null;
    return failure === 'unreachable' || (shared && failure === 'interrupted');
  }
  const { status, retryAfterSeconds: wait } = result.sized.response;
  return RETRIED_STATUSES.has(status) && (wait ?? 0) === 0;
}

export function unwrap(result: AttemptResult): SizedResponse {
  if ('error' in result) throw result.error;
  return result.sized;
}

/**
 * Whether the breaker, the queue or the time limit ended the call before a byte left, so that it says nothing about the other
 * server.
 */
export function wasNotMade(result: AttemptResult): boolean {
  if (!('error' in result) || !(result.error instanceof UpstreamError)) return false;
  const { failure, sent } = result.error;
  return !sent && (failure === 'paused' || failure === 'busy' || failure === 'timeout');
}

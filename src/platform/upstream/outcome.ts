import type { Proof } from './breaker.js';
import type { SizedResponse } from './shared-reads.js';
import { UpstreamError } from './upstream-client.js';

/** How an attempt ended. */
export type Outcome = { readonly sized: SizedResponse } | { readonly error: unknown };

const CONNECTION_FAILURES: ReadonlySet<string> = new Set(['unreachable', 'timeout', 'interrupted']);
const RETRIED_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);

/**
 * What an ended attempt proves of the other server: 5xx, broken connections and time-outs speak against it, but a time-out
 * only where it `hadTime`, for a wait in our own queue is not its fault, and a 5xx only where it is no refusal: what the
 * server says, in its own words, to the one account that asked.
 */
export function proofOf(outcome: Outcome, { hadTime, isRefusal }: { hadTime: boolean; isRefusal: boolean }): Proof {
  if ('sized' in outcome) {
    if (outcome.sized.response.status < 500) return 'alive';
    return isRefusal ? 'nothing' : 'failing';
  }
  if (!(outcome.error instanceof UpstreamError)) return 'nothing';
  const { failure } = outcome.error;
  if (failure === 'aborted' || (failure === 'timeout' && !hadTime)) return 'nothing';
  return CONNECTION_FAILURES.has(failure) ? 'failing' : 'alive';
}

export function labelOf(outcome: Outcome): string {
  if ('sized' in outcome) return `${Math.floor(outcome.sized.response.status / 100)}xx`;
  return outcome.error instanceof UpstreamError ? outcome.error.failure : 'internal';
}

/** Connect failures, 502, 503 and 504 of a read; not where the other server asks to come back later. */
export function isWorthRetrying(outcome: Outcome): boolean {
  if ('error' in outcome) return outcome.error instanceof UpstreamError && outcome.error.failure === 'unreachable';
  const { status, retryAfterSeconds: wait } = outcome.sized.response;
  return RETRIED_STATUSES.has(status) && (wait ?? 0) === 0;
}

export function unwrap(outcome: Outcome): SizedResponse {
  if ('error' in outcome) throw outcome.error;
  return outcome.sized;
}

/** Refused by the breaker or the queue, or out of time, before a byte left: it says nothing that is new. */
export function wasNotMade(outcome: Outcome): boolean {
  if (!('error' in outcome) || !(outcome.error instanceof UpstreamError)) return false;
  const { failure, sent } = outcome.error;
  return !sent && (failure === 'paused' || failure === 'busy' || failure === 'timeout');
}

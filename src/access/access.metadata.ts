import type { RatePolicy } from '../platform/limits/rate.js';
import type { Scope } from './principal.js';

/** Where a route's access stands in its metadata. */
export const ACCESS = 'trading-proxy:access';

/**
 * Who may call a route. `scope: null` is any API key and no session (`GET /me`). With a scope and `orSession` a signed-in person
 * may call it too; without, a session is 403 `api_key_required` (contract.md 3). `ofBot` is a key of a bot alone: a main key is 403
 * `bot_key_required`.
 */
export type Access =
  | { readonly kind: 'public' }
  | { readonly kind: 'session' }
  | { readonly kind: 'api-key'; readonly scope: Scope | null; readonly orSession: boolean; readonly ofBot?: true };

/** Metadata key of routes that need a confirmed session; the value is a `NeedsConfirmation`. */
export const CONFIRMATION = 'trading-proxy:confirmation';

/** Whether a request with this body, which nobody has checked yet, needs a confirmed session. */
export type NeedsConfirmation = (body: unknown) => boolean;

/** Metadata key of routes that read or cancel the caller's own orders, which a bot may do wherever it has some. */
export const FOR_OWN_ORDERS = 'trading-proxy:for-own-orders';

/** Metadata key of routes of which several calls may have the same answer; the value is an `AnswerBasis`. */
export const ANSWER_BASIS = 'trading-proxy:answer-basis';

/** What an answer depends on, and nothing else: the request target, or the facts of the caller's API key. */
export type AnswerBasis = 'target' | 'api-key';

/** Metadata key of routes with a rate limit of their own; the value is an `OwnRate`. */
export const OWN_RATE = 'trading-proxy:own-rate';

/**
 * The rate limit of a route: beside the common limit and per user, or (`isAlone`) in its place and per API key or session. With
 * `isFor` it is that of calls with such a body, which nobody has checked yet.
 */
export interface OwnRate {
  readonly policy: RatePolicy;
  readonly isAlone: boolean;
  readonly isFor?: (body: unknown) => boolean;
}

import type { Scope } from './principal.js';

/** Where a route's access stands in its metadata. */
export const ACCESS = 'trading-proxy:access';

/** Who may call a route. `scope: null` is any API key (`GET /me`). */
export type Access =
  | { readonly kind: 'public' }
  | { readonly kind: 'session' }
  | { readonly kind: 'api-key'; readonly scope: Scope | null };

/** Where a limit stands that a route has beside the common one: a `RatePolicy`. */
export const OWN_RATE = 'trading-proxy:own-rate';

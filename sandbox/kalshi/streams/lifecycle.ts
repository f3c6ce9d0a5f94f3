import { type Market } from '../market.js';

/** Combos have a channel of their own, which the other leaves out. */
export function lifecycleChannelOf({
  seed: { combo },
}: Market): 'market_lifecycle_v2' | 'multivariate_market_lifecycle' {
  return combo === undefined ? 'market_lifecycle_v2' : 'multivariate_market_lifecycle';
}

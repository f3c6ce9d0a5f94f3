import { z } from 'zod';
import { PRICE_POINTS } from '../../wire-list.js';
import { decimal, list } from '../connection/wire.js';

/** Sampled prices of a token (polymarket.md 5). */
export const wirePriceHistory = z.object({
  history: list(z.object({ t: z.int().nonnegative(), p: decimal }), PRICE_POINTS),
});
export type WirePricePoint = z.output<typeof wirePriceHistory>['history'][number];

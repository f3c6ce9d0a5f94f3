import { z } from 'zod';
import { PRICE_POINTS, nullableList } from '../../wire-list.js';
import { decimal } from '../connection/wire.js';

/** Sampled prices of a token (polymarket.md 5). */
export const wirePriceHistory = z.object({
  history: nullableList(z.object({ t: z.int().nonnegative(), p: decimal }), PRICE_POINTS),
});
export type WirePricePoint = z.output<typeof wirePriceHistory>['history'][number];

import { z } from 'zod';
import { CANDLES, PRICE_POINTS, nullableList } from '../../wire-list.js';
import { decimal, wireDataPage } from '../connection/wire.js';

/** Sampled prices of a token (polymarket.md 5). */
export const wirePriceHistory = z.object({
  history: nullableList(z.object({ t: z.int().nonnegative(), p: decimal }), PRICE_POINTS),
});

/** The same in the Data API, page by page; a bucket is named by its start (polymarket.md 6.3). */
export const wirePricePage = wireDataPage(
  z.object({ timestamp: z.int().nonnegative(), price: decimal }).transform(({ timestamp: t, price: p }) => ({ t, p })),
  CANDLES,
);

export type WirePricePoint = z.output<typeof wirePriceHistory>['history'][number];

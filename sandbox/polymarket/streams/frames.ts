import { z } from 'zod';
import { parseJson } from '../../wire/json.js';

/** What clients send (streams.md 2); anything else is answered by `INVALID OPERATION`. */
const IDS = z.array(z.string().max(100)).max(20_000);
const MARKET = z.looseObject({
  type: z.string().optional(),
  operation: z.enum(['subscribe', 'unsubscribe']).optional(),
  assets_ids: IDS.optional(),
  custom_feature_enabled: z.boolean().optional(),
  initial_dump: z.boolean().optional(),
});
const USER = z.looseObject({
  type: z.string().optional(),
  operation: z.enum(['subscribe', 'unsubscribe']).optional(),
  markets: IDS.optional(),
  auth: z
    .looseObject({ apiKey: z.string().max(200), secret: z.string().max(500), passphrase: z.string().max(500) })
    .optional(),
});

export type MarketFrame = z.infer<typeof MARKET>;
export type UserFrame = z.infer<typeof USER>;

/** Undefined for what the channel does not understand. */
export function parseMarketFrame(text: string): MarketFrame | undefined {
  return MARKET.safeParse(parseJson(text)).data;
}

/** As `parseMarketFrame`, for the user channel. */
export function parseUserFrame(text: string): UserFrame | undefined {
  return USER.safeParse(parseJson(text)).data;
}

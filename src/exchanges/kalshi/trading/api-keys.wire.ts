import { z } from 'zod';
import { nullableList } from '../../wire-list.js';

/** A scope looks like `write::trade`; what does not is left out. */
const SCOPE = /^[A-Za-z0-9_:.-]{1,64}$/;
const MOST_SCOPES = 100;

const wireApiKey = z.object({
  api_key_id: z.string(),
  scopes: nullableList(z.string(), MOST_SCOPES)
    .nullish()
    .transform((scopes) => scopes?.filter((scope) => SCOPE.test(scope)) ?? null),
  subaccount: z
    .int()
    .nullish()
    .transform((number) => number ?? null),
});

/** All keys of a member (kalshi.md 2.2); the time is Unix seconds, and absent without an attestation. */
export const wireApiKeys = z.object({
  api_keys: nullableList(wireApiKey),
  api_key_region_expiration_ts: z
    .number()
    .nullish()
    .transform((seconds) => seconds ?? null),
});

import { z } from 'zod';
import { Secret } from '../../../platform/secrets/secret.js';
import { boundedList } from '../../wire-list.js';
import { orNull, seconds } from '../connection/wire.js';
import { BASE64, HEADER_TEXT } from '../polymarket.credentials.dto.js';
import type { ApiCredentialFields } from '../../session-keys.contract.js';

/* What is used of the CLOB's answers about API credentials and session keys (polymarket.md 11.1, 11.2). */

function headerText(longest: number): z.ZodType<Secret> {
  return z
    .string()
    .refine((text) => text.length <= longest && HEADER_TEXT.test(text), 'not fit for a header')
    .transform((text) => new Secret(text));
}

const base64 = z
  .string()
  .refine((text) => text.length <= 512 && BASE64.test(text), 'not base64')
  .transform((text) => new Secret(text));

/** API credentials as the exchange issues them: such as can be stored, and stand in headers. */
export const wireApiKey = z
  .object({ apiKey: headerText(128), secret: base64, passphrase: headerText(256) })
  .transform(({ apiKey, secret, passphrase }): ApiCredentialFields => ({ api_key: apiKey, secret, passphrase }));

/** When a key ends; null where that is left out, or is no moment that a Date can have. */
const maybeEnd = orNull(seconds.transform((end) => (Number.isNaN(end.getTime()) ? null : end)));

const wireSessionSigner = z.object({
  address: z.string(),
  scopes: boundedList(z.string(), 100),
  valid_until: maybeEnd,
});

export type WireSessionSigner = z.output<typeof wireSessionSigner>;

/** The keys that may trade for a wallet, as its owner is told. */
export const wireSessionSigners = z.object({ wallet: z.string(), signers: boundedList(wireSessionSigner) });

export type WireSessionSigners = z.output<typeof wireSessionSigners>;

import { z } from 'zod';
import type { CredentialFacts } from '../exchanges/credentials.contract.js';

/** Names as exchanges have them; facts with longer or stranger ones are not kept. */
const NAME = z.string().regex(/^[\x20-\x7e]{1,100}$/);
const MOST_SCOPES = 50;
const MOST_ALLOWANCES = 20;

const FACTS: z.ZodType<CredentialFacts> = z.object({
  key: z
    .object({
      scopes: z.array(NAME).max(MOST_SCOPES).nullable(),
      subaccount: NAME.nullable(),
      isBound: z.boolean().nullable(),
      attestationExpiresAt: z.iso.datetime().nullable(),
    })
    .nullable(),
  missingAllowances: z.array(NAME).max(MOST_ALLOWANCES).nullable().default(null),
});

/**
 * Returns the facts of stored credentials, as an adapter or the database gives them; null for a value that is not of
 * that form.
 */
export function parseFacts(value: unknown): CredentialFacts | null {
  const parsed = FACTS.safeParse(value);
  return parsed.success ? parsed.data : null;
}

import { z } from 'zod';
import { parseJson } from '../../wire/json.js';
import { refusal } from '../refusals.js';
import { isAddress } from '../signing/address.js';
import { SESSION_SCOPES } from '../signing/session-signers.js';

/** Numbers are decimal texts. */
const NUMBER = z.string().regex(/^\d{1,15}$/, 'a whole number as text');
const ADDRESS = z.string().refine(isAddress, '0x and 40 hex digits');
const SIGNATURE = z.string().regex(/^0x[0-9a-fA-F]{130}$/, '0x and 130 hex digits');

const REVOCATION = z.object({
  walletAddress: ADDRESS,
  sessionSignerAddress: ADDRESS,
  nonce: NUMBER,
  deadline: NUMBER,
  signature: SIGNATURE,
});

const AUTHORISATION = REVOCATION.extend({
  validUntil: NUMBER,
  scopes: z
    .array(z.enum(SESSION_SCOPES))
    .min(1)
    .refine((scopes) => new Set(scopes).size === scopes.length, 'each scope once')
    .refine((scopes) => !scopes.includes('ALL') || scopes.length === 1, 'ALL stands alone'),
});

/** A request to end a session key, whose shape is right. */
export type Revocation = z.infer<typeof REVOCATION>;
/** A request for a session key, whose shape is right. */
export type Authorisation = z.infer<typeof AUTHORISATION>;

/** Throws a refusal that names the first field that is wrong. */
export function parseAuthorisation(body: string): Authorisation {
  return parsed(AUTHORISATION, body);
}

/** Throws a refusal that names the first field that is wrong. */
export function parseRevocation(body: string): Revocation {
  return parsed(REVOCATION, body);
}

function parsed<T>(shape: z.ZodType<T>, body: string): T {
  const result = shape.safeParse(parseJson(body));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw refusal(`invalid ${issue?.path[0]?.toString() ?? 'body'}: ${issue?.message ?? 'not understood'}`);
}

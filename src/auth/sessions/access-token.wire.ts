import { z } from 'zod';

const UNIX_SECONDS = z.number().int().nonnegative();

/** As ours are; anything else never reaches the database. */
const ID = z.string().regex(/^\w+$/);

/** Exactly these: `jku`, `x5u`, `jwk`, `crit` and whatever else a header may say are refused (S-16). */
const HEADER = z.strictObject({ alg: z.string(), typ: z.string(), kid: z.string() });

const CLAIMS = z.object({
  sub: ID,
  sid: ID,
  jti: z.string().min(1),
  iat: UNIX_SECONDS,
  exp: UNIX_SECONDS,
  iss: z.string(),
  aud: z.string(),
});

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The name of the key that a token claims to be signed with; null where its header is not exactly ours (S-16). */
export function keyIdOf(token: string, algorithm: string, type: string): string | null {
  const [encoded = ''] = token.split('.', 1);
  const header = HEADER.safeParse(parseJson(Buffer.from(encoded, 'base64url').toString('utf8')));
  const good = header.success && header.data.alg === algorithm && header.data.typ === type;
  return good ? header.data.kid : null;
}

/** Who a verified token speaks for; null where a claim is missing, of another type, or from the future (S-16). */
export function readClaims(payload: unknown, latestIssue: number): { userId: string; sessionId: string } | null {
  const claims = CLAIMS.safeParse(payload);
  if (!claims.success || claims.data.iat > latestIssue) return null;
  return { userId: claims.data.sub, sessionId: claims.data.sid };
}

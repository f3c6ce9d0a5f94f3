import { Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { z } from 'zod';
import { Settings } from '../../platform/config/settings.js';
import { AccessTokenKeys } from '../../platform/crypto/access-token-keys.js';
import { randomToken } from '../../platform/secrets/random.js';

export const ACCESS_TOKEN_ALGORITHM = 'HS256';
const ACCESS_TOKEN_TYPE = 'at+jwt';
export const ACCESS_TOKEN_ISSUER = 'trading-proxy';
export const ACCESS_TOKEN_AUDIENCE = 'trading-proxy/account';

const TOKEN_ID_BYTES = 16;

const UNIX_SECONDS = z.number().int().nonnegative();

/** Anything else never reaches the database. */
const ID = z.string().regex(/^\w+$/);

/** Exactly these: `jku`, `x5u`, `jwk`, `crit` and whatever else a header may say are refused (S-16). */
const HEADER = z.strictObject({
  alg: z.literal(ACCESS_TOKEN_ALGORITHM),
  typ: z.literal(ACCESS_TOKEN_TYPE),
  kid: z.string(),
});

const CLAIMS = z.object({
  sub: ID,
  sid: ID,
  jti: z.string().min(1),
  iat: UNIX_SECONDS,
  exp: UNIX_SECONDS,
  iss: z.string(),
  aud: z.string(),
});

/** Signs access tokens (S-16). */
@Injectable()
export class AccessTokens {
  readonly #jwt: JwtService;

  constructor({ current }: AccessTokenKeys, settings: Settings) {
    this.#jwt = new JwtService({
      secret: current.key,
      signOptions: {
        algorithm: ACCESS_TOKEN_ALGORITHM,
        issuer: ACCESS_TOKEN_ISSUER,
        audience: ACCESS_TOKEN_AUDIENCE,
        expiresIn: Math.floor(settings.accessTokenTtlMs / 1_000),
        header: { alg: ACCESS_TOKEN_ALGORITHM, typ: ACCESS_TOKEN_TYPE, kid: current.id },
      },
    });
  }

  issue(userId: string, sessionId: string): Promise<string> {
    return this.#jwt.signAsync({ sid: sessionId }, { subject: userId, jwtid: randomToken(TOKEN_ID_BYTES) });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The id of the key that a token claims to be signed with; null where its header is not exactly ours (S-16). */
export function keyIdOf(token: string): string | null {
  const [encoded = ''] = token.split('.', 1);
  const header = HEADER.safeParse(parseJson(Buffer.from(encoded, 'base64url').toString('utf8')));
  return header.success ? header.data.kid : null;
}

/** The user and session of a verified token; null where a claim is missing, of another type, or from the future (S-16). */
export function readClaims(payload: unknown, latestIssue: number): { userId: string; sessionId: string } | null {
  const claims = CLAIMS.safeParse(payload);
  if (!claims.success || claims.data.iat > latestIssue) return null;
  return { userId: claims.data.sub, sessionId: claims.data.sid };
}

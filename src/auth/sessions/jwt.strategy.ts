import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Strategy } from 'passport-jwt';
import { bearerToken } from '../../access/bearer.js';
import { CredentialStrategies } from '../../access/credential-strategies.js';
import { AccessTokenKeys } from '../../platform/crypto/access-token-keys.js';
import { type SignedInCaller, UsersService } from '../../users/users.service.js';
import {
  ACCESS_TOKEN_ALGORITHM,
  ACCESS_TOKEN_AUDIENCE,
  ACCESS_TOKEN_ISSUER,
  keyIdOf,
  readClaims,
} from './access-tokens.js';

const LEEWAY_SECONDS = 5;

/** The Passport strategy `jwt`: signature and form of the access token first (S-16, R-17), then its session (S-17). */
@Injectable()
export class JwtStrategy extends PassportStrategy(Strategy, 'jwt') {
  constructor(
    keys: AccessTokenKeys,
    private readonly users: UsersService,
    strategies: CredentialStrategies,
  ) {
    super({
      jwtFromRequest: bearerToken,
      algorithms: [ACCESS_TOKEN_ALGORITHM],
      issuer: ACCESS_TOKEN_ISSUER,
      audience: ACCESS_TOKEN_AUDIENCE,
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- the note in the types is about other options of it
      jsonWebTokenOptions: { clockTolerance: LEEWAY_SECONDS },
      secretOrKeyProvider: (_request: Request, token: string, done: (error: unknown, key?: string) => void) => {
        const keyId = keyIdOf(token);
        const found = keyId === null ? null : keys.find(keyId);
        if (found === null) done(new Error('the token has no acceptable header'));
        // The types of passport-jwt know texts only; jsonwebtoken below it takes a KeyObject.
        else done(null, found.key as unknown as string);
      },
    });
    strategies.add('jwt', this);
  }

  /** Null is refused with the reason `invalid`. */
  async validate(payload: unknown): Promise<SignedInCaller | null> {
    const claims = readClaims(payload, Date.now() / 1_000 + LEEWAY_SECONDS);
    return claims === null ? null : this.users.findSignedIn(claims.userId, claims.sessionId);
  }
}

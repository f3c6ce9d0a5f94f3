import { Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { Settings } from '../../platform/config/settings.js';
import { AccessTokenKeys } from '../../platform/crypto/access-token-keys.js';
import { randomToken } from '../../platform/secrets/random.js';

export const ACCESS_TOKEN_ALGORITHM = 'HS256';
export const ACCESS_TOKEN_TYPE = 'at+jwt';
export const ACCESS_TOKEN_ISSUER = 'trading-proxy';
export const ACCESS_TOKEN_AUDIENCE = 'trading-proxy/account';

const TOKEN_ID_BYTES = 16;

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

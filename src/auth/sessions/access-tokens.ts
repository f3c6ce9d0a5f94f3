import { Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { randomToken } from '../../platform/secrets/random.js';
import { Settings } from '../../platform/config/settings.js';

export const ACCESS_TOKEN_ALGORITHM = 'HS256';
export const ACCESS_TOKEN_TYPE = 'at+jwt';
export const ACCESS_TOKEN_ISSUER = 'trading-proxy';
export const ACCESS_TOKEN_AUDIENCE = 'trading-proxy/account';

const TOKEN_ID_BYTES = 16;

/** Signs access tokens (S-16). */
@Injectable()
export class AccessTokens {
  readonly #lifeSeconds: number;

  constructor(
    private readonly jwt: JwtService,
    settings: Settings,
  ) {
    this.#lifeSeconds = Math.floor(settings.accessTokenTtlMs / 1_000);
  }

  issue(userId: string, sessionId: string): Promise<string> {
    return this.jwt.signAsync(
      { sid: sessionId },
      { subject: userId, jwtid: randomToken(TOKEN_ID_BYTES), expiresIn: this.#lifeSeconds },
    );
  }
}

import { Injectable } from '@nestjs/common';
import { Settings } from '../../platform/config/settings.js';
import { AccessTokens } from './access-tokens.js';
import { RefreshTokens } from './refresh-tokens.js';

/** Both tokens of a session. */
@Injectable()
export class SessionTokens {
  /** Of the session, counted from sign-in (DESIGN 4). */
  readonly lifeMs: number;

  constructor(
    readonly access: AccessTokens,
    readonly refresh: RefreshTokens,
    settings: Settings,
  ) {
    this.lifeMs = settings.refreshTokenTtlMs;
  }
}

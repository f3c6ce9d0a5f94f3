import { Injectable } from '@nestjs/common';
import type { SessionPrincipal } from '../../access/principal.js';
import { ActivityService } from '../../activity/activity.service.js';
import { AppError } from '../../platform/errors/app-error.js';
import { UsersService } from '../../users/users.service.js';
import { LogInLimits } from '../limits/login-limits.js';
import type { OAuthCode } from './oauth-provider.js';
import { OAuthService } from './oauth.service.js';

/** Has a provider say that a signed-in user is who they are: no account is made, linked or signed in by it (S-59). */
@Injectable()
export class ProviderProof {
  constructor(
    private readonly oauth: OAuthService,
    private readonly users: UsersService,
    private readonly activity: ActivityService,
    private readonly limits: LogInLimits,
  ) {}

  /**
   * A code that fails, and one of somebody else, stay counted and are noted. Throws `oauth_failed`, `rate_limited` and what a
   * sign-in throws before and while it calls the provider.
   */
  async check(caller: SessionPrincipal, provider: string, code: OAuthCode): Promise<void> {
    await this.limits.countConfirmation(caller, async () => {
      try {
        const { subject } = await this.oauth.identify(provider, code);
        const owner = await this.users.findByIdentity({ provider, subject });
        if (owner?.id !== caller.userId) throw someoneElse();
      } catch (error) {
        if (error instanceof AppError && error.code === 'oauth_failed') await this.#note(caller, provider);
        throw error;
      }
    });
  }

  async #note({ userId }: SessionPrincipal, provider: string): Promise<void> {
    await this.activity.record({ type: 'login_failed', userId, details: { confirmation: true, provider } });
  }
}

/** 403 `oauth_failed`. */
function someoneElse(): AppError {
  return new AppError('oauth_failed', 'This provider account does not sign in to your account here.', {
    status: 403,
    details: { reason: 'other_account' },
  });
}

import { Injectable } from '@nestjs/common';
import type { SessionPrincipal } from '../../access/principal.js';
import { SessionWrites } from '../../access/session-writes.js';
import { ActivityService } from '../../activity/activity.service.js';
import { AppError } from '../../platform/errors/app-error.js';
import { UsersService } from '../../users/users.service.js';
import { LogInLimits } from '../limits/login-limits.js';
import type { OAuthCode } from '../oauth/oauth-provider.js';
import { OAuthService } from '../oauth/oauth.service.js';
import { PasswordCheck } from '../passwords/password-check.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';

/** Asks a provider whether a signed-in user is who they claim to be; makes and links no account, and signs nobody in (S-59). */
@Injectable()
export class ProviderProof {
  constructor(
    private readonly oauth: OAuthService,
    private readonly users: UsersService,
    private readonly activity: ActivityService,
    private readonly limits: LogInLimits,
  ) {}

  /**
   * Notes and counts a code that fails, and the code of another person. Throws `oauth_failed`, `rate_limited`, and the errors of
   * `OAuthService.identify`.
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

/** By what a user proves who they are. */
export type Proof =
  | { readonly password: string }
  | {
      /** The id of a sign-in provider. */
      readonly provider: string;
      readonly code: OAuthCode;
    };

/** `POST /account/confirm`: the person of a session proves anew who they are (S-59). */
@Injectable()
export class ConfirmationService {
  constructor(
    private readonly passwords: PasswordCheck,
    private readonly proofs: ProviderProof,
    private readonly users: UsersService,
    private readonly sessions: SessionsRepository,
    private readonly writes: SessionWrites,
  ) {}

  /**
   * By the password; throws `invalid_credentials`, also where none is set, and `rate_limited`. Or by a provider; throws as
   * `ProviderProof.check`.
   */
  async confirm(caller: SessionPrincipal, proof: Proof): Promise<void> {
    await ('password' in proof
      ? this.#byPassword(caller, proof.password)
      : this.#byProvider(caller, proof.provider, proof.code));
  }

  async #byPassword(caller: SessionPrincipal, password: string): Promise<void> {
    await this.passwords.before(caller, password, ({ user, passwordHash }) =>
      this.writes.run(caller, async () => {
        if (!(await this.users.holdPassword(user.id, passwordHash))) return false;
        await this.sessions.markConfirmed(caller.sessionId);
        return true;
      }),
    );
  }

  async #byProvider(caller: SessionPrincipal, provider: string, code: OAuthCode): Promise<void> {
    await this.proofs.check(caller, provider, code);
    await this.writes.run(caller, () => this.sessions.markConfirmed(caller.sessionId));
  }
}

import { Injectable } from '@nestjs/common';
import { ActivityService } from '../../activity/activity.service.js';
import { AppError } from '../../platform/errors/app-error.js';
import type { User } from '../../users/users.service.js';
import { type SignedIn, SessionStarter } from '../sessions/session-starter.js';
import type { ProviderAccount } from './oauth-provider.js';
import { appearanceOf } from './provider-account.js';
import { ProviderIdentities } from './provider-identities.js';
import { TakeOver } from './take-over.js';

/** How a sign-in through a provider ended. */
export interface OAuthOutcome {
  readonly signedIn: SignedIn;
  /** Then an API key may have ended, which must be waited for before the answer (DESIGN 6). */
  readonly hasTakenOver: boolean;
}

function emailUnverified(): AppError {
  return new AppError('oauth_failed', 'The provider has not verified your e-mail address. Verify it there first.', {
    status: 403,
    details: { reason: 'email_unverified' },
  });
}

/** From a person at a provider to an account here (S-11, S-12, S-13). */
@Injectable()
export class OAuthSignIn {
  constructor(
    private readonly identities: ProviderIdentities,
    private readonly takeOver: TakeOver,
    private readonly sessions: SessionStarter,
    private readonly activity: ActivityService,
  ) {}

  /** Needs a transaction. Throws `oauth_failed` and `signup_not_allowed`. */
  async enter(provider: string, account: ProviderAccount): Promise<OAuthOutcome> {
    const identity = { provider, subject: account.subject };
    const known = await this.identities.find(identity);
    if (known !== null) return { signedIn: await this.#signIn(known, provider), hasTakenOver: false };
    if (account.verifiedEmail === null) throw emailUnverified();
    const { user, isNew } = await this.identities.createOrLock(account, account.verifiedEmail);
    const hasTakenOver = !isNew && user.emailVerifiedAt === null;
    const own = hasTakenOver ? await this.takeOver.by(user, provider, appearanceOf(account, user.email)) : user;
    const isLinkedNow = await this.identities.link(own, identity);
    if (isLinkedNow && !isNew && !hasTakenOver) {
      await this.activity.record({ type: 'oauth_linked', userId: own.id, details: { provider } });
    }
    return { signedIn: await this.#signIn(own, provider), hasTakenOver };
  }

  async #signIn(user: User, provider: string): Promise<SignedIn> {
    if (user.disabledAt !== null) {
      throw new AppError('oauth_failed', 'This account cannot sign in. Ask the operator.', {
        status: 403,
        details: { reason: 'account_disabled' },
      });
    }
    const signedIn = await this.sessions.start(user);
    const details = { provider, new_device: signedIn.isNewDevice };
    await this.activity.record({ type: 'login', userId: user.id, details });
    return signedIn;
  }
}

import { Injectable, Logger } from '@nestjs/common';
import { Transactions } from '../../platform/database/transactions.js';
import { AccountContents } from '../contents/account-contents.js';
import type { SignedIn } from '../sessions/session-starter.js';
import type { OAuthCode, ProviderInvitation } from './oauth-provider.js';
import { OAuthProviders } from './oauth-providers.js';
import { OAuthSignIn } from './oauth-signin.js';

/** Sign-in through Google and GitHub (specification 4.6, 4.7). */
@Injectable()
export class OAuthService {
  readonly #logger = new Logger('OAuth');

  constructor(
    private readonly providers: OAuthProviders,
    private readonly signIns: OAuthSignIn,
    private readonly contents: AccountContents,
    private readonly transactions: Transactions,
  ) {}

  /** The providers that are on; one that does not answer now is left out. */
  async list(): Promise<(ProviderInvitation & { readonly id: string })[]> {
    const invited = await Promise.allSettled(
      this.providers.all.map(async (provider) => ({ id: provider.id, ...(await provider.invite()) })),
    );
    return invited.flatMap((result) => {
      if (result.status === 'fulfilled') return [result.value];
      this.#logger.warn({ err: result.reason as unknown, message: 'A sign-in provider cannot be reached' });
      return [];
    });
  }

  /**
   * Throws `provider_not_configured`, `redirect_uri_not_allowed` (the provider is not called), `oauth_failed`,
   * `signup_not_allowed`, `oauth_provider_error` and `oauth_provider_timeout`.
   */
  async signIn(providerId: string, code: OAuthCode): Promise<SignedIn> {
    const provider = this.providers.get(providerId);
    this.providers.assertRedirectUri(code.redirectUri);
    const account = await provider.identify(code);
    const { signedIn, hasTakenOver } = await this.transactions.run(() => this.signIns.enter(providerId, account));
    if (hasTakenOver) await this.contents.waitForKeyCacheExpiry();
    return signedIn;
  }
}

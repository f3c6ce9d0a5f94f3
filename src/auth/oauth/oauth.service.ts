import { Injectable, Logger } from '@nestjs/common';
import { Settings } from '../../platform/config/settings.js';
import { AppError } from '../../platform/errors/app-error.js';
import { ProviderHttp } from '../../platform/upstream/provider-http.js';
import type { SignedIn } from '../sessions/session-starter.js';
import { GitHubProvider } from './github.provider.js';
import { GoogleProvider } from './google.provider.js';
import type { OAuthCode, OAuthProvider, ProviderAccount, ProviderInvitation } from './oauth-provider.js';
import { OAuthSignIn } from './oauth-signin.js';

/** Sign-in through the providers that are switched on (specification.md 4.6, 4.7, contract.md 2). */
@Injectable()
export class OAuthService {
  readonly #logger = new Logger('OAuth');
  readonly #providers: readonly OAuthProvider[];
  readonly #redirectUris: ReadonlySet<string>;

  constructor(
    { google, github, oauthRedirectUris }: Settings,
    http: ProviderHttp,
    private readonly signIns: OAuthSignIn,
  ) {
    this.#providers = [
      ...(google === undefined ? [] : [new GoogleProvider(google, http)]),
      ...(github === undefined ? [] : [new GitHubProvider(github, http)]),
    ];
    this.#redirectUris = new Set(oauthRedirectUris);
  }

  /** The providers that are on; one that does not answer now is left out. */
  async list(): Promise<(ProviderInvitation & { readonly id: string })[]> {
    const invited = await Promise.allSettled(
      this.#providers.map(async (provider) => ({ id: provider.id, ...(await provider.invite()) })),
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
    return this.signIns.enter(providerId, await this.identify(providerId, code));
  }

  /**
   * Returns the person whom the provider has sent, with or without an account here. Throws as `signIn`, but not
   * `signup_not_allowed`.
   */
  async identify(providerId: string, code: OAuthCode): Promise<ProviderAccount> {
    const provider = this.#get(providerId);
    this.#assertRedirectUri(code.redirectUri);
    return provider.identify(code);
  }

  #get(id: string): OAuthProvider {
    const provider = this.#providers.find((candidate) => candidate.id === id);
    if (provider !== undefined) return provider;
    throw new AppError('provider_not_configured', 'The operator has not switched this provider on.');
  }

  /** The address must be one of the list, character for character (S-14). */
  #assertRedirectUri(redirectUri: string): void {
    if (this.#redirectUris.has(redirectUri)) return;
    throw new AppError('redirect_uri_not_allowed', 'This redirect_uri is not on the list of OAUTH_REDIRECT_URIS.');
  }
}

import { Injectable } from '@nestjs/common';
import { Settings } from '../../platform/config/settings.js';
import { AppError } from '../../platform/errors/app-error.js';
import { ProviderHttp } from '../../platform/upstream/provider-http.js';
import { GitHubProvider } from './github.provider.js';
import { GoogleProvider } from './google.provider.js';
import type { OAuthProvider } from './oauth-provider.js';

/** The sign-in providers that are switched on, and where a sign-in may come back to (DESIGN 2). */
@Injectable()
export class OAuthProviders {
  readonly all: readonly OAuthProvider[];
  readonly #redirectUris: ReadonlySet<string>;

  constructor({ google, github, oauthRedirectUris }: Settings, http: ProviderHttp) {
    this.all = [
      ...(google === undefined ? [] : [new GoogleProvider(google, http)]),
      ...(github === undefined ? [] : [new GitHubProvider(github, http)]),
    ];
    this.#redirectUris = new Set(oauthRedirectUris);
  }

  /** Throws `provider_not_configured`. */
  get(id: string): OAuthProvider {
    const provider = this.all.find((candidate) => candidate.id === id);
    if (provider !== undefined) return provider;
    throw new AppError('provider_not_configured', 'The operator has not switched this provider on.');
  }

  /** Throws `redirect_uri_not_allowed`; the address must be one of the list, character for character (S-14). */
  assertRedirectUri(redirectUri: string): void {
    if (this.#redirectUris.has(redirectUri)) return;
    throw new AppError('redirect_uri_not_allowed', 'This redirect_uri is not on the list of OAUTH_REDIRECT_URIS.');
  }
}

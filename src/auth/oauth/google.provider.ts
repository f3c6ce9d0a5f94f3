import * as client from 'openid-client';
import type { OAuthClientSettings } from '../../platform/config/settings.js';
import type { ProviderHttp } from '../../platform/upstream/provider-http.js';
import {
  codeRejected,
  type OAuthCode,
  type OAuthProvider,
  type ProviderAccount,
  providerFault,
  type ProviderInvitation,
  toProviderAccount,
} from './oauth-provider.js';

const SCOPE = 'openid email profile';
const DISCOVERY_LIFE_MS = 3_600_000;
const REJECTIONS = new Set(['invalid_grant', 'invalid_request', 'access_denied']);
const NO_BODY = new Set([204, 205, 304]);

type GoogleSettings = OAuthClientSettings & { readonly issuer: string };

/** Google, through OpenID Connect discovery: issuer, audience and signature of its ID token are checked (S-14). */
export class GoogleProvider implements OAuthProvider {
  readonly id = 'google';
  readonly #issuer: URL;
  #found: { readonly configuration: Promise<client.Configuration>; readonly at: number } | undefined;

  constructor(
    private readonly settings: GoogleSettings,
    private readonly http: ProviderHttp,
  ) {
    this.#issuer = new URL(settings.issuer);
  }

  async invite(): Promise<ProviderInvitation> {
    const endpoint = (await this.#configuration()).serverMetadata().authorization_endpoint;
    if (endpoint === undefined) throw providerFault(new Error('the provider names no authorization endpoint'));
    return { authorizationUrl: endpoint, clientId: this.settings.clientId, scope: SCOPE };
  }

  async identify({ code, codeVerifier, redirectUri }: OAuthCode): Promise<ProviderAccount> {
    const configuration = await this.#configuration();
    // client.authorizationCodeGrant derives the redirect address from a URL, without its query: here it is sent as it is.
    const parameters = { code, code_verifier: codeVerifier, redirect_uri: redirectUri };
    try {
      const tokens = await client.genericGrantRequest(configuration, 'authorization_code', parameters);
      return await this.#account(configuration, tokens);
    } catch (error) {
      const rejected = error instanceof client.ResponseBodyError && REJECTIONS.has(error.error);
      throw rejected ? codeRejected(error) : providerFault(error);
    }
  }

  /** Reads the claims of the ID token; where these name no address, the claims of the user-info endpoint for the same subject. */
  async #account(
    configuration: client.Configuration,
    tokens: client.TokenEndpointResponse & client.TokenEndpointResponseHelpers,
  ): Promise<ProviderAccount> {
    const idToken = tokens.claims();
    if (idToken === undefined) throw new Error('the provider sent no ID token');
    const asksMore = idToken.email === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined;
    const more = asksMore ? await client.fetchUserInfo(configuration, tokens.access_token, idToken.sub) : {};
    const claims: Record<string, unknown> = { ...idToken, ...more };
    return toProviderAccount({
      subject: idToken.sub,
      email: claims.email,
      isEmailVerified: claims.email_verified,
      name: claims.name,
      avatarUrl: claims.picture,
    });
  }

  async #configuration(): Promise<client.Configuration> {
    const known = this.#found;
    if (known !== undefined && Date.now() - known.at < DISCOVERY_LIFE_MS) return known.configuration;
    const found = { configuration: this.#discover(), at: Date.now() };
    this.#found = found;
    try {
      return await found.configuration;
    } catch (error) {
      if (this.#found === found) this.#found = undefined;
      throw providerFault(error);
    }
  }

  #discover(): Promise<client.Configuration> {
    const { clientId, clientSecret } = this.settings;
    const authentication = clientSecret === undefined ? client.None() : client.ClientSecretBasic(clientSecret.reveal());
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- marked so as a warning; the settings let http: through on loopback only (contract.md 2)
    const plain = this.#issuer.protocol === 'http:' ? [client.allowInsecureRequests] : [];
    return client.discovery(this.#issuer, clientId, undefined, authentication, {
      [client.customFetch]: (url, options) => this.#fetch(url, options),
      execute: [client.enableNonRepudiationChecks, ...plain],
    });
  }

  async #fetch(url: string, { method, headers, body }: client.CustomFetchOptions): Promise<Response> {
    const isText = typeof body === 'string' || body instanceof URLSearchParams;
    const answer = await this.http.call(url, {
      method: method === 'POST' ? 'POST' : 'GET',
      headers,
      ...(isText ? { body: body.toString() } : {}),
    });
    const { status, text, contentType } = answer;
    return new Response(NO_BODY.has(status) ? null : text, { status, headers: { 'content-type': contentType } });
  }
}

import { z } from 'zod';
import type { OAuthClientSettings } from '../../platform/config/settings.js';
import { AppError } from '../../platform/errors/app-error.js';
import type { ProviderHttp, ProviderResponse } from '../../platform/upstream/provider-http.js';
import {
  codeRejected,
  type OAuthCode,
  type OAuthProvider,
  type ProviderAccount,
  providerFault,
  type ProviderInvitation,
  toProviderAccount,
} from './oauth-provider.js';

const SCOPE = 'read:user user:email';
const API_VERSION = '2022-11-28';
const REJECTIONS = new Set(['bad_verification_code', 'invalid_grant', 'invalid_request', 'redirect_uri_mismatch']);
const FORM = { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' };

type GitHubSettings = OAuthClientSettings & { readonly url: string; readonly apiUrl: string };

const TOKEN = z.object({ access_token: z.string().min(1) });
const FAILURE = z.object({ error: z.string() });
const USER = z.object({
  id: z.number().int().positive(),
  login: z.string(),
  name: z.unknown(),
  avatar_url: z.unknown(),
});
/** A page of addresses at GitHub has no more; their number is checked before any of them (S-53). */
const MAX_EMAILS = 100;
const EMAILS = z
  .unknown()
  .refine((value) => Array.isArray(value) && value.length <= MAX_EMAILS)
  .pipe(z.array(z.object({ email: z.string(), primary: z.unknown(), verified: z.unknown() })));

type GitHubUser = z.infer<typeof USER>;
type GitHubEmail = z.infer<typeof EMAILS>[number];

function parse(text: string): unknown {
  return JSON.parse(text);
}

/** The error code of a token answer, which GitHub sends with status 200; null where it is a token. */
function tokenFailure(text: string): string | null {
  const failure = FAILURE.safeParse(parse(text));
  return failure.success ? failure.data.error : null;
}

function parseToken(text: string): string {
  return TOKEN.parse(parse(text)).access_token;
}

function parseUser(text: string): GitHubUser {
  return USER.parse(parse(text));
}

function parseEmails(text: string): GitHubEmail[] {
  return EMAILS.parse(parse(text));
}

function assertGood(answer: ProviderResponse): string {
  if (answer.status !== 200) throw new Error(`GitHub answered ${answer.status}`);
  return answer.text;
}

/** GitHub, through its OAuth API (S-14): https://docs.github.com/en/apps/oauth-apps/building-oauth-apps */
export class GitHubProvider implements OAuthProvider {
  readonly id = 'github';

  constructor(
    private readonly settings: GitHubSettings,
    private readonly http: ProviderHttp,
  ) {}

  invite(): Promise<ProviderInvitation> {
    const { url, clientId } = this.settings;
    return Promise.resolve({ authorizationUrl: `${url}/login/oauth/authorize`, clientId, scope: SCOPE });
  }

  async identify(code: OAuthCode): Promise<ProviderAccount> {
    try {
      const token = await this.#token(code);
      return await this.#account(token);
    } catch (error) {
      throw error instanceof AppError ? error : providerFault(error);
    }
  }

  async #token({ code, codeVerifier, redirectUri }: OAuthCode): Promise<string> {
    const { url, clientId, clientSecret } = this.settings;
    const form = new URLSearchParams({
      client_id: clientId,
      ...(clientSecret === undefined ? {} : { client_secret: clientSecret.reveal() }),
      code,
      code_verifier: codeVerifier,
      redirect_uri: redirectUri,
    });
    const answer = await this.http.call(`${url}/login/oauth/access_token`, {
      method: 'POST',
      headers: FORM,
      body: form.toString(),
    });
    const failure = answer.status < 500 ? tokenFailure(answer.text) : null;
    if (failure !== null && REJECTIONS.has(failure)) throw codeRejected(new Error('GitHub refused the code'));
    if (failure !== null) throw new Error('GitHub refused the client');
    return parseToken(assertGood(answer));
  }

  /** The primary address counts, and only where GitHub has verified it. */
  async #account(token: string): Promise<ProviderAccount> {
    const [user, emails] = await Promise.all([this.#get('/user', token), this.#get('/user/emails', token)]);
    const { id, login, name, avatar_url: avatarUrl } = parseUser(user);
    const primary = parseEmails(emails).find((email) => email.primary === true);
    return toProviderAccount({
      subject: String(id),
      email: primary?.email,
      isEmailVerified: primary?.verified,
      name: name ?? login,
      avatarUrl,
    });
  }

  async #get(path: string, token: string): Promise<string> {
    const headers = {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'x-github-api-version': API_VERSION,
    };
    return assertGood(await this.http.call(`${this.settings.apiUrl}${path}`, { method: 'GET', headers }));
  }
}

import { publicApi, type Schemas, take } from '../api/client.js';
import { Failure } from '../api/failure.js';
import { installation } from '../installation.js';
import { pagePath } from './page-path.js';
import { api, session } from './session.js';

type Provider = Schemas['ProviderDto'];

/**
 * What must outlive the way to the provider and back: the verifier and the state, which are neither token nor key. A page that is
 * left keeps nothing in memory, so it is kept for this tab, and removed as soon as somebody comes back.
 */
interface Started {
  readonly provider: Provider['id'];
  readonly state: string;
  readonly verifier: string;
  readonly redirectUri: string;
  readonly returnTo: string;
  readonly purpose: Purpose;
}

/** What the provider's word is for. */
type Purpose = 'sign-in' | 'confirm';

export const PROVIDER_NAMES = { google: 'Google', github: 'GitHub' };

const PLACE = 'trading-proxy-oauth';
const PATH = '/dashboard/oauth/callback';

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}

function random(): string {
  return base64Url(crypto.getRandomValues(new Uint8Array(32)));
}

/** Where providers may send people back to at this very origin; null where the service knows none. */
function redirectHere(): string | null {
  const here = location.origin + PATH;
  return installation.oauth_redirect_uris.find((uri) => uri === here) ?? null;
}

/** Whether providers lead back to this very origin. */
export function canStartOAuth(): boolean {
  return redirectHere() !== null;
}

/** Where else the sign-in can begin, since a verifier does not leave its origin; null where it can begin here or nowhere. */
export function oauthElsewhere(): string | null {
  if (redirectHere() !== null) return null;
  const other = installation.oauth_redirect_uris.find((uri) => new URL(uri).pathname === PATH);
  return other === undefined ? null : new URL('/dashboard/sign-in', other).href;
}

/** Leaves for the provider, with a state and a PKCE verifier of this browser (RFC 7636, S256). */
export async function startOAuth(provider: Provider, returnTo: string, purpose: Purpose): Promise<void> {
  const redirectUri = redirectHere();
  if (redirectUri === null) throw new Failure('redirect_uri_not_allowed', 'This address is not on the list.', null);
  const [state, verifier] = [random(), random()];
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  const started: Started = { provider: provider.id, state, verifier, redirectUri, returnTo, purpose };
  sessionStorage.setItem(PLACE, JSON.stringify(started));
  const address = new URL(provider.authorization_url);
  const parameters = {
    response_type: 'code',
    client_id: provider.client_id,
    scope: provider.scope,
    redirect_uri: redirectUri,
    state,
    code_challenge: base64Url(new Uint8Array(digest)),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
  location.assign(address);
}

function takeStarted(): Started | null {
  const text = sessionStorage.getItem(PLACE);
  sessionStorage.removeItem(PLACE);
  return text === null ? null : (JSON.parse(text) as Started);
}

function isOf({ state }: Started, query: URLSearchParams): boolean {
  return query.get('state') === state;
}

/** Where somebody comes back from a provider, and what for. */
export interface Comeback {
  readonly purpose: Purpose;
  /** Where they were, or wanted to go: behind `/dashboard`. */
  readonly returnTo: string;
  /** Once the service has taken the provider's word; rejects with Failure. */
  readonly done: Promise<void>;
}

/** Ends what this tab began at a provider. */
export function finishOAuth(query: URLSearchParams): Comeback {
  const started = takeStarted();
  const { purpose = 'sign-in', returnTo = '/' } = started ?? {};
  return { purpose, returnTo: pagePath(returnTo), done: finish(started, query) };
}

async function finish(started: Started | null, query: URLSearchParams): Promise<void> {
  const code = query.get('code');
  if (started === null || !isOf(started, query)) {
    throw new Failure('oauth_failed', 'This sign-in was not begun in this tab.', null);
  }
  if (code === null) throw new Failure('oauth_failed', 'The provider did not let you in.', null);
  const body = { code, code_verifier: started.verifier, redirect_uri: started.redirectUri };
  if (started.purpose === 'confirm') {
    await confirm({ ...body, provider: started.provider });
    return;
  }
  const path = started.provider === 'google' ? '/auth/google/callback' : '/auth/github/callback';
  session.begin(await take(publicApi.POST(path, { body })));
}

async function confirm(body: Schemas['ProviderConfirmationDto']): Promise<void> {
  const { phase } = await session.find();
  if (phase !== 'in') throw new Failure('unauthorized', 'Your session has ended meanwhile.', null);
  await take(api.POST('/account/confirm', { body }));
}

import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import Provider from 'oidc-provider';
import { Loopback } from './loopback.js';

export const CLIENT_ID = 'our-client';
export const CLIENT_SECRET = 'our-client-secret-0123456789';
/** Where people come back to, and what their codes are bound to. */
export const REDIRECT_URI = 'http://localhost:3000/dashboard/oauth/callback';
export const VERIFIER = 'v'.repeat(43);

/** What the provider says of somebody. */
export interface Claims {
  readonly email?: string;
  readonly email_verified?: unknown;
  readonly name?: string;
  readonly picture?: string;
}

/** A real OpenID provider on loopback. */
export interface TestGoogle {
  readonly issuer: string;
  /** Requests that reached it, as `METHOD /path`. */
  readonly requests: string[];
  /** A code for this person, bound to the verifier and the redirect address, as after a consent. */
  code(subject: string, claims: Claims, bound: { verifier: string; redirectUri: string }): Promise<string>;
  close(): Promise<void>;
}

/** Settings of a service that knows it. */
export function googleSettings({ issuer }: Pick<TestGoogle, 'issuer'>): Record<string, string> {
  return {
    GOOGLE_CLIENT_ID: CLIENT_ID,
    GOOGLE_CLIENT_SECRET: CLIENT_SECRET,
    GOOGLE_ISSUER: issuer,
    OAUTH_REDIRECT_URIS: REDIRECT_URI,
  };
}

/** `claimsInIdToken: false` is how the provider behaves by default: addresses only at the user-info endpoint. */
export async function startGoogle(redirectUri: string, claimsInIdToken = true): Promise<TestGoogle> {
  const people = new Map<string, Claims>();
  const requests: string[] = [];
  const server = createServer();
  const loopback = await Loopback.start(server);
  const issuer = loopback.url;
  const provider = new Provider(issuer, {
    clients: [{ client_id: CLIENT_ID, client_secret: CLIENT_SECRET, redirect_uris: [redirectUri] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'picture'] },
    conformIdTokenClaims: !claimsInIdToken,
    findAccount: (_context, accountId) => ({
      accountId,
      claims: () => ({ sub: accountId, ...people.get(accountId) }),
    }),
    features: { devInteractions: { enabled: false } },
  });
  const handle = provider.callback();
  server.on('request', (request, response) => {
    requests.push(`${request.method ?? ''} ${request.url ?? ''}`);
    void handle(request, response);
  });
  return {
    issuer,
    requests,
    code: async (accountId, claims, { verifier, redirectUri: bound }) => {
      people.set(accountId, claims);
      const client = await provider.Client.find(CLIENT_ID);
      if (client === undefined) throw new Error('the client is not registered');
      const grant = new provider.Grant({ accountId, clientId: CLIENT_ID });
      const scope = 'openid email profile';
      grant.addOIDCScope(scope);
      const grantId = await grant.save();
      const code = new provider.AuthorizationCode({
        accountId,
        client,
        grantId,
        gty: 'authorization_code',
        scope,
        redirectUri: bound,
        codeChallenge: createHash('sha256').update(verifier).digest('base64url'),
        codeChallengeMethod: 'S256',
      });
      return code.save();
    },
    close: () => loopback.close(),
  };
}

import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { FakeServer } from './fake-server.js';
import { CLIENT_ID } from './google.js';

/** An OpenID provider on loopback whose ID tokens say whatever a test wants. */
export interface Forger {
  readonly issuer: string;
  /** What the next ID tokens say, and whether a key signs them that is not in the published set. */
  answer(claims: object, withOtherKey: boolean): void;
  close(): Promise<void>;
}

function part(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function idToken(claims: object, key: KeyObject): string {
  const input = `${part({ alg: 'RS256', typ: 'JWT', kid: 'k1' })}.${part(claims)}`;
  return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`;
}

export async function startForger(): Promise<Forger> {
  const published = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 });
  let token = '';
  const server = await FakeServer.start();
  const issuer = server.url;
  const metadata = {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  };
  const jwks = { keys: [{ ...published.publicKey.export({ format: 'jwk' }), kid: 'k1', alg: 'RS256', use: 'sig' }] };
  server.on('GET /.well-known/openid-configuration', () => ({ body: metadata }));
  server.on('GET /jwks', () => ({ body: jwks }));
  server.on('POST /token', () => ({ body: { access_token: 'a', token_type: 'bearer', id_token: token } }));
  return {
    issuer,
    answer: (claims, withOtherKey) => {
      const now = Math.floor(Date.now() / 1_000);
      const whole = { iss: issuer, aud: CLIENT_ID, iat: now, exp: now + 300, ...claims };
      token = idToken(whole, withOtherKey ? other.privateKey : published.privateKey);
    },
    close: () => server.close(),
  };
}

import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer } from 'node:http';
import { CLIENT_ID, closeServer, listen } from './google.js';

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
  const server = createServer();
  const issuer = `http://127.0.0.1:${await listen(server)}`;
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
  server.on('request', (request, response) => {
    const answers: Readonly<Record<string, object>> = {
      '/.well-known/openid-configuration': metadata,
      '/jwks': jwks,
      '/token': { access_token: 'a', token_type: 'bearer', id_token: token },
    };
    const body = answers[request.url ?? ''];
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body ?? {}));
  });
  return {
    issuer,
    answer: (claims, withOtherKey) => {
      const now = Math.floor(Date.now() / 1_000);
      const whole = { iss: issuer, aud: CLIENT_ID, iat: now, exp: now + 300, ...claims };
      token = idToken(whole, withOtherKey ? other.privateKey : published.privateKey);
    },
    close: () => closeServer(server),
  };
}

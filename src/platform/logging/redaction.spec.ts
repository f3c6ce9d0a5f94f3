import { describe, expect, it } from '@jest/globals';
import { createLog } from './log.js';

function logged(write: (log: ReturnType<typeof createLog>) => void): string {
  const lines: string[] = [];
  write(createLog({ level: 'trace', readable: false, destination: { write: (line) => void lines.push(line) } }));
  return lines.join('');
}

const KEY = 'svc_sk_live_AbCdCANARYCANARYCANARYCANARYCANARYCANARY12';
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ1c3JfMSJ9.CANARYsignature';
const PEM = '-----BEGIN PRIVATE KEY-----\nCANARY\nCANARY\n-----END PRIVATE KEY-----\n';

describe('the log (S-40)', () => {
  it.each([
    ['an API key', `presented ${KEY}`],
    ['a JWT', `token ${JWT}`],
    ['a PEM', `key: ${PEM}`],
    ['a PEM without its end', PEM.slice(0, 40)],
    ['a private JWK', '{"kty":"RSA","d":"CANARY-CANARY_CANARY","n":"AQAB"}'],
    ['a private JWK inside JSON', JSON.stringify({ body: '{"crv":"Ed25519","d":"CANARY-CANARY_CANARY"}' })],
    ['a cookie', 'refresh_token=CANARY; Path=/auth'],
    ['a link', 'http://x/dashboard/verify-email#token=CANARY'],
    ['a bearer header', 'authorization: Bearer CANARY'],
    ['a database password', 'postgresql://user:CANARY@db/x'],
    ['a password with an address in it', 'postgres://user:CANARY://CANARY@db/x'],
    ['a second password', 'http://a.example/x,postgres://user:CANARY@db/x and redis://:CANARY@cache'],
  ])('S-40 removes %s by its pattern', (_, text) => {
    const line = logged((log) => {
      log.info({ note: text, err: new Error(text) }, text);
    });
    expect(line).toContain('redacted');
    expect(line).not.toContain('CANARY');
  });

  it.each([
    'authorization',
    'Proxy-Authorization',
    'Cookie',
    'set-cookie',
    'password',
    'new_password',
    'currentPassword',
    'password_hash',
    'token',
    'access_token',
    'refresh_token',
    'id_token',
    'code',
    'code_verifier',
    'key',
    'api_key',
    'apiKey',
    'access_key',
    'private_key',
    'signing_key',
    'session_key',
    'secret',
    'client_secret',
    'passphrase',
    'pepper',
    'signature',
    'signed_order',
    'KALSHI-ACCESS-KEY',
    'KALSHI-ACCESS-SIGNATURE',
    'POLY_API_KEY',
    'POLY_PASSPHRASE',
    'POLY_SIGNATURE',
    'POLY_BUILDER_API_KEY',
    'POLY_BUILDER_PASSPHRASE',
    'POLY_BUILDER_SIGNATURE',
    'POLYMARKET_OWNER_KEY',
    'POLYMARKET_BUILDER_API_KEY',
    'POLYMARKET_BUILDER_SECRET',
    'POLYMARKET_BUILDER_PASSPHRASE',
    'X-Another-Api-Key',
  ])('S-40 removes what stands under the name %s at any depth', (name) => {
    const line = logged((log) => {
      log.info({ outer: [{ inner: { [name]: 'CANARY' } }] }, 'note');
    });
    expect(line).not.toContain('CANARY');
  });

  it.each(['note', 'error_code', 'limit_key_id', 'key_prefix', 'token_type', 'mail_id'])(
    'keeps what stands under the name %s',
    (name) => {
      const line = logged((log) => {
        log.info({ [name]: 'KEPT' }, 'note');
      });
      expect(line).toContain('KEPT');
    },
  );

  it('S-40 never logs the other members of an error', () => {
    const error = Object.assign(new Error('failed'), {
      request: { body: 'CANARY' },
      cause: Object.assign(new Error('why'), { headers: 'CANARY' }),
    });
    const line = logged((log) => {
      log.error({ err: error }, 'failed');
    });
    expect(line).toContain('why');
    expect(line).not.toContain('CANARY');
  });

  it('S-53 cuts what is longer than a log needs, and stays one JSON object a line', () => {
    const long = 'x"\\\n '.repeat(100_000);
    const line = logged((log) => {
      log.error({ note: long, err: new Error(long, { cause: new Error(long) }) }, 'failed');
    });
    expect(line.length).toBeLessThan(200_000);
    expect(JSON.parse(line)).toMatchObject({ level: 'error', msg: 'failed' });
  });

  it('is one JSON object a line', () => {
    const lines = logged((log) => {
      log.info('one\ntwo');
      log.warn({ a: 1 }, 'x');
    });
    expect(
      lines
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { level: string }).level),
    ).toEqual(['info', 'warn']);
  });
});

import { createPrivateKey, generateKeyPairSync, type JsonWebKey, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { LONGEST_MS, shortestMs } from '../../../test/support/hostile.js';
import { Secret } from '../../platform/secrets/secret.js';
import { canSign, fastForm, isSigningKey, KalshiSigner } from './kalshi.signer.js';

const vector = z.object({
  name: z.string(),
  timestamp_ms: z.string(),
  method: z.string(),
  signed_path: z.string(),
  signature_base64: z.string(),
  headers: z.record(z.string(), z.string()),
});
const { kalshi: VECTORS } = z
  .object({
    kalshi: z.object({
      api_key_id_TEST: z.string(),
      test_rsa_key: z.object({
        private_key_pkcs8_pem: z.string(),
        private_key_pkcs1_pem: z.string(),
        public_key_spki_pem: z.string(),
      }),
      must_verify: z.array(vector),
      must_not_verify: z.array(
        z.object({ name: z.string(), against_message: z.string(), signature_base64: z.string() }),
      ),
      ed25519: z.object({
        private_key_pkcs8_pem_TEST: z.string(),
        public_key_spki_pem: z.string(),
        message: z.string(),
        signature_base64: z.string(),
      }),
    }),
  })
  .parse(JSON.parse(readFileSync('test/vectors/exchange-vectors.json', 'utf8')));

const accessKey = new Secret(VECTORS.api_key_id_TEST);
const rsa = VECTORS.test_rsa_key;

/** As the exchange checks: PSS, SHA-256, salt of 32 bytes; by another library than the signer's. */
async function verifiesAsPublished(message: string, signature: string): Promise<boolean> {
  const spki = Buffer.from(rsa.public_key_spki_pem.replace(/-----[^-]+-----|\s/g, ''), 'base64');
  const key = await crypto.subtle.importKey('spki', spki, { name: 'RSA-PSS', hash: 'SHA-256' }, false, ['verify']);
  const parameters = { name: 'RSA-PSS', saltLength: 32 };
  return crypto.subtle.verify(parameters, key, Buffer.from(signature, 'base64'), Buffer.from(message));
}

const KEYS = z
  .object({ accepted: z.record(z.string(), z.string()), refused: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync('test/vectors/kalshi/private-keys.json', 'utf8')));

describe('KalshiSigner over the published vectors', () => {
  describe.each([
    ['PKCS#8', rsa.private_key_pkcs8_pem],
    ['PKCS#1', rsa.private_key_pkcs1_pem],
  ])('%s', (_, pem) => {
    const signer = new KalshiSigner(accessKey, new Secret(pem));

    it.each(VECTORS.must_verify)('kalshi.md 2 signs $name so that it verifies', async (known) => {
      const at = new Date(Number(known.timestamp_ms));
      const headers = await signer.sign({ method: known.method, path: known.signed_path }, at);
      const message = `${known.timestamp_ms}${known.method}${known.signed_path}`;
      expect(await verifiesAsPublished(message, headers['KALSHI-ACCESS-SIGNATURE'])).toBe(true);
      expect(await verifiesAsPublished(message, known.signature_base64)).toBe(true);
      expect({ ...headers, 'KALSHI-ACCESS-SIGNATURE': known.signature_base64 }).toEqual(known.headers);
    });
  });

  it.each(VECTORS.must_not_verify)(
    'the check of these tests refuses $name',
    async ({ against_message, signature_base64 }) => {
      expect(await verifiesAsPublished(against_message, signature_base64)).toBe(false);
    },
  );

  it('kalshi.md 2 signs with Ed25519 where the key is one', async () => {
    const known = VECTORS.ed25519;
    const signer = new KalshiSigner(accessKey, new Secret(known.private_key_pkcs8_pem_TEST));
    const headers = await signer.sign(
      { method: 'get', path: '/trade-api/v2/portfolio/balance' },
      new Date(1792000000000),
    );
    expect(headers['KALSHI-ACCESS-SIGNATURE']).toBe(known.signature_base64);
  });

  it('signs another time with another signature', async () => {
    const signer = new KalshiSigner(accessKey, new Secret(rsa.private_key_pkcs8_pem));
    const { 'KALSHI-ACCESS-SIGNATURE': signature } = await signer.sign({ method: 'GET', path: '/x' }, new Date(1));
    expect(await verifiesAsPublished('2GET/x', signature)).toBe(false);
  });

  it('S-39 shows no key when printed', () => {
    const signer = new KalshiSigner(accessKey, new Secret(rsa.private_key_pkcs8_pem));
    expect(JSON.stringify(signer)).not.toContain(VECTORS.api_key_id_TEST);
  });
});

describe('isSigningKey', () => {
  const pkcs1 = rsa.private_key_pkcs1_pem;

  it.each([
    ['PKCS#1', pkcs1],
    ['PKCS#8', rsa.private_key_pkcs8_pem],
    ['Ed25519', VECTORS.ed25519.private_key_pkcs8_pem_TEST],
    ['\\n escapes', pkcs1.replaceAll('\n', '\\n')],
    ['\\r\\n escapes', pkcs1.replaceAll('\n', '\\r\\n')],
    ['CRLF', pkcs1.replaceAll('\n', '\r\n')],
    ['blank lines around', `\n ${pkcs1}\n\n`],
    ['line breaks turned into blanks', pkcs1.trim().replaceAll('\n', ' ')],
    ...Object.entries(KEYS.accepted),
  ])('contract.md 4 accepts %s', (_, text) => {
    expect(isSigningKey(text)).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['garbage', 'not a key'],
    ['a public key', rsa.public_key_spki_pem],
    ['a certificate', '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n'],
    ...Object.entries(KEYS.refused),
    ['a key that is cut off', pkcs1.slice(0, 900)],
    ['a key with a broken middle', pkcs1.split('\n').toSpliced(10, 1).join('\n')],
    ['two keys', `${pkcs1}${pkcs1}`],
    ['other text around', `key: ${pkcs1}`],
    ['a NUL', pkcs1.replace('\n', '\n\u0000')],
  ])('contract.md 4 refuses %s', (_, text) => {
    expect(isSigningKey(text)).toBe(false);
  });
});

describe('the fast form of a key', () => {
  const ed25519 = VECTORS.ed25519;

  it.each([
    ['PKCS#8', rsa.private_key_pkcs8_pem],
    ['PKCS#1 with escapes', rsa.private_key_pkcs1_pem.replaceAll('\n', '\\n')],
  ])('of RSA in %s signs so that it verifies', async (_, pem) => {
    const signer = new KalshiSigner(accessKey, new Secret((await fastForm(pem)) ?? ''));
    const { 'KALSHI-ACCESS-SIGNATURE': signature } = await signer.sign({ method: 'get', path: '/x' }, new Date(7));
    expect(await verifiesAsPublished('7GET/x', signature)).toBe(true);
  });

  it('of Ed25519 signs as published', async () => {
    const signer = new KalshiSigner(accessKey, new Secret((await fastForm(ed25519.private_key_pkcs8_pem_TEST)) ?? ''));
    const headers = await signer.sign(
      { method: 'get', path: '/trade-api/v2/portfolio/balance' },
      new Date(1792000000000),
    );
    expect(headers['KALSHI-ACCESS-SIGNATURE']).toBe(ed25519.signature_base64);
  });

  it.each(Object.entries(KEYS.refused))('is not made of %s', async (_, pem) => {
    expect(await fastForm(pem)).toBeNull();
  });

  it('S-54 is not made of a key that signs nothing', async () => {
    expect(await fastForm(forged({ n: other.n ?? '' }))).toBeNull();
  });

  it.each(['{', '{}', '{"kty":"RSA"}', '{"kty":1}', '{"kty":"oct","k":"AAAA"}'])('is not %s', (text) => {
    expect(() => new KalshiSigner(accessKey, new Secret(text))).toThrow(TypeError);
  });

  it('S-54 has the bounds of a PEM', () => {
    const text = JSON.stringify({ ...jwk, n: numberOf(4104) });
    expect(() => new KalshiSigner(accessKey, new Secret(text))).toThrow(TypeError);
  });

  it('imports in a fraction of the time', async () => {
    const cpuOf = (text: string): number => {
      const before = process.cpuUsage();
      for (let i = 0; i < 50; i++) new KalshiSigner(accessKey, new Secret(text));
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    const [pem, fast] = [rsa.private_key_pkcs8_pem, (await fastForm(rsa.private_key_pkcs8_pem)) ?? ''];
    const pairs = Array.from({ length: 5 }, () => [cpuOf(pem), cpuOf(fast)] as const);
    expect(pairs.some(([slow, quick]) => quick < slow / 3)).toBe(true);
  });
});

const jwk = createPrivateKey(rsa.private_key_pkcs8_pem).export({ format: 'jwk' });
const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });

/** The known key with other parts, as PEM: nobody checks that they fit. */
function forged(parts: JsonWebKey): string {
  const key = createPrivateKey({ key: { ...jwk, ...parts }, format: 'jwk' });
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** An odd number of so many bits. */
function numberOf(bits: number): string {
  const bytes = randomBytes(bits / 8);
  bytes[0] = (bytes[0] ?? 0) | 0x80;
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 1;
  return bytes.toString('base64url');
}

describe('a key of Kalshi (S-54)', () => {
  const longest = generateKeyPairSync('rsa', { modulusLength: 4096 }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  });

  it.each([
    ['RSA of 2048 bits', rsa.private_key_pkcs8_pem],
    ['RSA of 4096 bits', longest.toString()],
    ['Ed25519', VECTORS.ed25519.private_key_pkcs8_pem_TEST],
  ])('is %s, and signs a probe', async (_, pem) => {
    expect(isSigningKey(pem)).toBe(true);
    expect(await canSign(pem)).toBe(true);
  });

  it.each([
    ['more than 4096 bits', { n: numberOf(4104) }],
    ['8192 bits', { n: numberOf(8192) }],
    ['as many bits as fit', { n: numberOf(32_768), d: 'AQ', p: 'Aw', q: 'Aw', dp: 'AQ', dq: 'AQ', qi: 'AQ' }],
    ['2040 bits', { n: numberOf(2040) }],
    ['the public exponent 1', { e: 'AQ' }],
    ['an even public exponent', { e: 'AQAC' }],
    ['a public exponent above 2^32', { e: Buffer.from([1, 0, 0, 0, 1]).toString('base64url') }],
    ['a public exponent of 2048 bits', { e: numberOf(2048) }],
  ])('does not have %s, which is found out within 50 ms', async (_, parts) => {
    const pem = forged(parts);
    expect(isSigningKey(pem)).toBe(false);
    expect(shortestMs(() => isSigningKey(pem))).toBeLessThan(LONGEST_MS);
    expect(await canSign(pem)).toBe(false);
    expect(() => new KalshiSigner(accessKey, new Secret(pem))).toThrow(TypeError);
  });

  it.each([
    ['the modulus of another', { n: other.n }],
    ['another public exponent', { e: 'Aw' }],
    ['private parts of another', { d: other.d, p: other.p, q: other.q, dp: other.dp, dq: other.dq, qi: other.qi }],
    ['an even modulus', { n: `${(jwk.n ?? '').slice(0, -2)}AA` }],
  ])('whose parts do not fit, for it has %s, signs nothing', async (_, parts) => {
    expect(await canSign(forged(parts as JsonWebKey))).toBe(false);
  });

  it('signs in the thread pool, so that the event loop goes on (S-53)', async () => {
    const signer = new KalshiSigner(accessKey, new Secret(longest.toString()));
    const signing = Promise.all(
      Array.from({ length: 40 }, () => signer.sign({ method: 'GET', path: '/x' }, new Date(1))),
    );
    // What signed in its own thread would be over before the loop turned once.
    let turns = 0;
    let isOver = false;
    const turn = (): void => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    await signing;
    isOver = true;
    expect(turns).toBeGreaterThan(10);
  });
});

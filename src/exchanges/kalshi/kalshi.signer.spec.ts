import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { Secret } from '../../platform/crypto/secret.js';
import { isSigningKey, KalshiSigner } from './kalshi.signer.js';

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
      const headers = signer.sign({ method: known.method, path: known.signed_path }, at);
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

  it('kalshi.md 2 signs with Ed25519 where the key is one', () => {
    const known = VECTORS.ed25519;
    const signer = new KalshiSigner(accessKey, new Secret(known.private_key_pkcs8_pem_TEST));
    const headers = signer.sign({ method: 'get', path: '/trade-api/v2/portfolio/balance' }, new Date(1792000000000));
    expect(headers['KALSHI-ACCESS-SIGNATURE']).toBe(known.signature_base64);
  });

  it('signs another time with another signature', async () => {
    const signer = new KalshiSigner(accessKey, new Secret(rsa.private_key_pkcs8_pem));
    const { 'KALSHI-ACCESS-SIGNATURE': signature } = signer.sign({ method: 'GET', path: '/x' }, new Date(1));
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
  ])('DESIGN 4 accepts %s', (_, text) => {
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
  ])('DESIGN 4 refuses %s', (_, text) => {
    expect(isSigningKey(text)).toBe(false);
  });
});

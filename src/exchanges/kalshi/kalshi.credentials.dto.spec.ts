import { createPrivateKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { plainToInstance } from 'class-transformer';
import { validate, validateSync } from 'class-validator';
import { z } from 'zod';
import { KalshiCredentialsDto } from './kalshi.credentials.dto.js';

const vectors = z
  .object({ kalshi: z.object({ ed25519: z.object({ private_key_pkcs8_pem_TEST: z.string() }) }) })
  .parse(JSON.parse(readFileSync('test/vectors/exchange-vectors.json', 'utf8')));
const private_key = vectors.kalshi.ed25519.private_key_pkcs8_pem_TEST;
const valid = { access_key: 'a952bcbe-ec3b-4b5b-b8f9-11dae589608c', private_key };

const faults = (body: object): string[] =>
  validateSync(plainToInstance(KalshiCredentialsDto, body)).map((fault) => fault.property);

describe('KalshiCredentialsDto', () => {
  it('contract.md 4 accepts an access key and a private key, as given', () => {
    expect(faults(valid)).toEqual([]);
    expect(plainToInstance(KalshiCredentialsDto, valid)).toEqual(valid);
    expect(faults({ ...valid, access_key: 'x'.repeat(128) })).toEqual([]);
  });

  it.each(['', ' ', 'a b', 'a\u0000', 'ключ', 'a\n', 'x'.repeat(129), 5, null, undefined, ['a'], {}, true])(
    'contract.md 4 refuses the access key %p by name',
    (access_key) => {
      expect(faults({ ...valid, access_key })).toEqual(['access_key']);
    },
  );

  it.each([
    '',
    'x',
    `${private_key}\u0000`,
    `${private_key}${' '.repeat(9_000)}`,
    5,
    null,
    undefined,
    [private_key],
    {},
  ])('contract.md 4 refuses the private key %p by name', (key) => {
    expect(faults({ ...valid, private_key: key })).toEqual(['private_key']);
  });

  it('S-54 refuses a private key whose parts do not fit by name, for one reason', async () => {
    const aKey = (): JsonWebKey =>
      generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
    const parts = { ...aKey(), n: aKey().n ?? '' };
    const mixed = createPrivateKey({ key: parts, format: 'jwk' }).export({ type: 'pkcs8', format: 'pem' }).toString();
    const found = await validate(plainToInstance(KalshiCredentialsDto, { ...valid, private_key: mixed }));
    expect(found.map(({ property, constraints }) => [property, Object.keys(constraints ?? {})])).toEqual([
      ['private_key', ['canSign']],
    ]);
    expect(await validate(plainToInstance(KalshiCredentialsDto, valid))).toEqual([]);
  });
});

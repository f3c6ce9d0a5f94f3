import { crc32 } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { generateApiKey, isApiKey, prefixOf } from './api-key.format.js';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function decode(digits: string): number {
  return Array.from(digits).reduce((sum, digit) => sum * 62 + ALPHABET.indexOf(digit), 0);
}

describe('API key format (S-27)', () => {
  it('generates keys of one form whose last six characters are the CRC32 of all before', () => {
    for (let round = 0; round < 1_000; round += 1) {
      const key = generateApiKey();
      expect(key).toMatch(/^svc_sk_live_[0-9A-Za-z]{42}$/);
      expect(decode(key.slice(-6))).toBe(crc32(key.slice(0, -6)));
      expect(isApiKey(key)).toBe(true);
    }
  });

  it('S-27 refuses any change of one character', () => {
    const key = generateApiKey();
    fc.assert(
      fc.property(fc.nat(key.length - 1), fc.constantFrom(...Array.from(ALPHABET)), (at, character) => {
        fc.pre(key[at] !== character);
        expect(isApiKey(key.slice(0, at) + character + key.slice(at + 1))).toBe(false);
      }),
    );
  });

  it.each(['', 'svc_sk_live_', 'svc_sk_test_0000', `${generateApiKey()}0`, generateApiKey().slice(0, -1)])(
    'refuses %j',
    (text) => {
      expect(isApiKey(text)).toBe(false);
    },
  );

  it('shows the first sixteen characters as the prefix', () => {
    const key = generateApiKey();
    expect(prefixOf(key)).toBe(key.slice(0, 16));
  });
});

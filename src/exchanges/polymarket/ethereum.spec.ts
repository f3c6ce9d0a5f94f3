import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import {
  addressOfKey,
  domainSeparator,
  keccakText,
  randomKey,
  signDigest,
  signerOf,
  withChecksum,
  word,
} from './ethereum.js';

interface Vectors {
  readonly keys_TEST_ONLY: Readonly<Record<string, { private_key: string; address: string }>>;
  readonly domains: Readonly<
    Record<string, { name: string; version: string; verifyingContract: string; separator: string }>
  >;
  readonly session_keys: {
    readonly wallet_domain: { name: string; version: string; verifyingContract: string; separator: string };
  };
}

const vectors = JSON.parse(readFileSync('test/vectors/vectors-polymarket-2026.json', 'utf8')) as Vectors;
const CURVE_ORDER = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141';

describe('polymarket.md 14.3 addresses and signatures', () => {
  it.each(Object.values(vectors.keys_TEST_ONLY))('the key of $address has that address', ({ private_key, address }) => {
    expect(addressOfKey(hexToBytes(private_key.slice(2)))).toBe(address);
  });

  it.each(['0'.repeat(64), CURVE_ORDER, 'f'.repeat(64)])('%s is no key', (digits) => {
    expect(() => addressOfKey(hexToBytes(digits))).toThrow();
  });

  it('the greatest key is one', () => {
    expect(addressOfKey(hexToBytes(`${CURVE_ORDER.slice(0, -1)}0`))).toMatch(/^0x[0-9a-fA-F]{40}$/);
  });

  it('a signature names who made it, over that digest alone', () => {
    const digest = keccakText('one');
    for (let round = 0; round < 20; round++) {
      const key = randomKey();
      const signature = bytesToHex(signDigest(key, digest));
      expect(signature).toMatch(/^[0-9a-f]{128}1[bc]$/);
      expect(signerOf(signature, digest)).toBe(addressOfKey(key));
      expect(signerOf(signature, keccakText('other'))).not.toBe(addressOfKey(key));
    }
  });

  it.each(['', '00', `${'0'.repeat(128)}1b`, `${'f'.repeat(128)}1c`, `${'1'.repeat(128)}ff`, `${'zz'.repeat(64)}1b`])(
    '%s is nobody’s signature',
    (signature) => {
      expect(signerOf(signature, keccakText('one'))).toBeNull();
    },
  );

  it('EIP-712 domains are those of the vectors', () => {
    for (const { separator, ...domain } of [...Object.values(vectors.domains), vectors.session_keys.wallet_domain]) {
      expect(`0x${bytesToHex(domainSeparator(domain))}`).toBe(separator);
    }
  });
});

describe('EIP-55', () => {
  // The examples of the standard itself.
  it.each([
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '0xde709f2102306220921060314715629080e2fb77',
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
    '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
  ])('%s is made of any spelling of it', (address) => {
    expect(withChecksum(address.toLowerCase())).toBe(address);
    expect(withChecksum(`0x${address.slice(2).toUpperCase()}`)).toBe(address);
  });
});

describe('a word of the EVM', () => {
  it('has 32 bytes and no room for more', () => {
    expect(bytesToHex(word(258n))).toBe(`${'0'.repeat(60)}0102`);
    expect(bytesToHex(word(2n ** 256n - 1n))).toBe('f'.repeat(64));
    expect(() => word(2n ** 256n)).toThrow(RangeError);
    expect(() => word(-1n)).toThrow(RangeError);
  });
});

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Settings } from '../config/settings.js';
import { CryptoService, SealBrokenError } from './crypto.service.js';
import { Sealed } from './sealed.js';
import { Secret } from '../secrets/secret.js';

const KEYS = [1, 2].map((byte) => `k${byte}:${Buffer.alloc(32, byte).toString('base64')}`);

function serviceWith(...keys: string[]): CryptoService {
  const secrets = { NODE_ENV: 'test', JWT_SECRET: 'a'.repeat(32), PASSWORD_PEPPER: 'p'.repeat(32) };
  return new CryptoService(Settings.read({ ...secrets, ENCRYPTION_KEYS: keys.join(',') }));
}

const CONTEXT = ['usr_1', 'kalshi', 'private_key', '7'];
const crypto = serviceWith(KEYS[0] ?? '');

describe('CryptoService (S-36, S-38)', () => {
  it('opens what it sealed, for every text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(crypto.open(crypto.seal(new Secret(text), CONTEXT), CONTEXT).reveal()).toBe(text);
      }),
    );
  });

  it('S-36 never repeats an IV', () => {
    const count = 100_000;
    const secret = new Secret('x');
    const ivs = new Set<string>();
    for (let index = 0; index < count; index += 1) {
      ivs.add(crypto.seal(secret, CONTEXT).envelope.subarray(1, 13).toString('latin1'));
    }
    expect(ivs.size).toBe(count);
  });

  it('S-36 refuses a change of any one bit', () => {
    const sealed = crypto.seal(new Secret('a private key'), CONTEXT);
    for (let bit = 0; bit < sealed.envelope.length * 8; bit += 1) {
      const changed = Buffer.from(sealed.envelope);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => crypto.open(new Sealed(sealed.keyId, changed), CONTEXT)).toThrow(SealBrokenError);
    }
  });

  it.each([0, 1, 2, 3])('S-36 refuses a value moved to another user, exchange, field or version (%i)', (index) => {
    const sealed = crypto.seal(new Secret('x'), CONTEXT);
    const moved = CONTEXT.with(index, 'other');
    expect(() => crypto.open(sealed, moved)).toThrow(SealBrokenError);
  });

  it('S-36 refuses words that only join to the same bytes', () => {
    const sealed = crypto.seal(new Secret('x'), ['ab', 'c']);
    expect(() => crypto.open(sealed, ['a', 'bc'])).toThrow(SealBrokenError);
  });

  it('S-36 refuses envelopes that are too short before anything else', () => {
    expect(() => crypto.open(new Sealed('k1', Buffer.alloc(28, 1)), CONTEXT)).toThrow(SealBrokenError);
  });

  it('S-38 seals with the first key and opens with all', () => {
    const old = crypto.seal(new Secret('x'), CONTEXT);
    const both = serviceWith(KEYS[1] ?? '', KEYS[0] ?? '');
    expect(both.open(old, CONTEXT).reveal()).toBe('x');
    expect(both.seal(new Secret('x'), CONTEXT).keyId).toBe('k2');
    expect(() => serviceWith(KEYS[1] ?? '').open(old, CONTEXT)).toThrow(/k1/);
  });

  it('S-39 hands out the bytes for one use, and wipes them whatever comes of it', () => {
    const sealed = crypto.seal(new Secret('a private key'), CONTEXT);
    const kept: Buffer[] = [];
    const length = crypto.openFor(sealed, CONTEXT, (plaintext) => {
      kept.push(plaintext);
      expect(plaintext.toString()).toBe('a private key');
      return plaintext.length;
    });
    expect(length).toBe(13);
    const use = (plaintext: Buffer): never => {
      kept.push(plaintext);
      throw new RangeError('of its own');
    };
    expect(() => crypto.openFor(sealed, CONTEXT, use)).toThrow(RangeError);
    expect(kept).toEqual([Buffer.alloc(13), Buffer.alloc(13)]);
    expect(() => crypto.openFor(sealed, CONTEXT.with(0, 'other'), use)).toThrow(SealBrokenError);
    expect(kept).toHaveLength(2);
  });

  it('survives its text form', () => {
    const sealed = Sealed.fromText(crypto.seal(new Secret('x'), CONTEXT).toText());
    expect(crypto.open(sealed, CONTEXT).reveal()).toBe('x');
  });

  it('S-38 has a check value for each key that tells keys apart and does not hold them', () => {
    const again = serviceWith(KEYS[1] ?? '', KEYS[0] ?? '');
    const other = serviceWith(`k1:${Buffer.alloc(32, 3).toString('base64')}`);
    expect(crypto.checkValue('k1')).toEqual(again.checkValue('k1'));
    expect(crypto.checkValue('k1')).toHaveLength(32);
    expect(crypto.checkValue('k1')).not.toEqual(other.checkValue('k1'));
    expect(crypto.checkValue('k1')).not.toEqual(Buffer.alloc(32, 1));
    expect(() => crypto.checkValue('k2')).toThrow(SealBrokenError);
  });
});

import { describe, expect, it } from '@jest/globals';
import { SealBrokenError } from '../platform/crypto/crypto.service.js';
import { withPrivateKeyBytes } from './private-key-bytes.js';

const HEX = '00ff10a0b1C2D3e4f5060708090a0b0c0d0e0f101112131415161718191a1b1c';

describe('withPrivateKeyBytes (S-39)', () => {
  const read = (text: string): Buffer => withPrivateKeyBytes(Buffer.from(text), (key) => Buffer.from(key));

  it('reads the bytes of either case', () => {
    expect(read(`0x${HEX}`)).toEqual(Buffer.from(HEX, 'hex'));
    expect(read(`0x${HEX.toUpperCase()}`)).toEqual(Buffer.from(HEX, 'hex'));
  });

  it('wipes them when their use has ended, or failed', () => {
    const kept: Uint8Array[] = [];
    const keep = (key: Uint8Array): void => void kept.push(key);
    withPrivateKeyBytes(Buffer.from(`0x${HEX}`), keep);
    const fail = (key: Uint8Array): never => {
      keep(key);
      throw new RangeError('of its own');
    };
    expect(() => withPrivateKeyBytes(Buffer.from(`0x${HEX}`), fail)).toThrow(RangeError);
    expect(kept.map((key) => Buffer.from(key))).toEqual([Buffer.alloc(32), Buffer.alloc(32)]);
  });

  it.each([
    '',
    '0x',
    `0x${HEX.slice(2)}`,
    `0x${HEX}00`,
    `0x${HEX.slice(1)}g`,
    `0x${HEX.slice(2)} @`,
    `0x${HEX.slice(1)}`,
  ])('refuses %j', (text) => {
    expect(() => read(text)).toThrow(SealBrokenError);
  });
});

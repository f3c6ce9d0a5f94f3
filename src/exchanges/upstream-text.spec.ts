import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LONGEST_MS, shortestMs } from '../../test/support/hostile.js';
import { Secret } from '../platform/secrets/secret.js';
import { scrub, scrubCode } from './upstream-text.js';

describe('scrub', () => {
  it('S-45 keeps ordinary words', () => {
    expect(scrub('invalid order: post only cross on KXHIGHNY-26NOV20-B55.5')).toBe(
      'invalid order: post only cross on KXHIGHNY-26NOV20-B55.5',
    );
  });

  it.each([
    ['a PEM block', '-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----', 'MIIE'],
    ['a PEM block that is cut off', '-----BEGIN RSA PRIVATE KEY-----\nMIIE', 'MIIE'],
    ['a signature', 'ZgKqQXGlfb+l8QOXKh1jbr7qIR+FW4IhBRX1kOm6PJE=', 'ZgKq'],
    ['an access key', 'a952bcbe-ec3b-4b5b-b8f9-11dae589608c', 'a952'],
    ['an API key of ours', 'svc_sk_live_abcd', 'abcd'],
    ['a JWT', 'eyJhbGciOi.eyJzdWIi.c2ln', 'eyJ'],
    ['an address', '0x1234567890abcdef1234567890abcdef12345678', '1234'],
  ])('S-45 takes out %s', (_, canary, trace) => {
    expect(scrub(`before ${canary}`)).toBe('before […]');
    expect(scrub(`before ${canary} after`)).not.toContain(trace);
  });

  it('S-39 takes out the credentials of the call, whole or line by line', () => {
    const hidden = [new Secret('pass phrase'), new Secret('first line\nsecond line'), new Secret('third\\nfourth')];
    expect(scrub('no pass phrase, second line or fourth', hidden)).toBe('no […], […] or […]');
    expect(scrub('pass\u0000phrase', hidden)).toBe('[…]');
  });

  it('S-45 cuts after 200 characters, and not through one', () => {
    expect(scrub('no '.repeat(100))).toHaveLength(200);
    expect(scrub(`${'no '.repeat(66)}n😀`)).toBe(`${'no '.repeat(66)}n`);
  });

  it('S-45 leaves one line of at most 200 characters, whatever comes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (text) => {
        const clean = scrub(text);
        expect(clean.length).toBeLessThanOrEqual(200);
        expect(clean).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
      }),
    );
  });
});

describe('scrub of a text that is cut (S-53)', () => {
  const filler = (length: number): string => 'no! '.repeat(length / 4);
  const block = `-----BEGIN PRIVATE KEY-----${'x'.repeat(1_900)}-----END PRIVATE KEY----- `;

  it('looks at 2,000 characters', () => {
    expect(scrub(`${block}${' '.repeat(2_000)}never seen`)).toBe('[…]');
    expect(scrub('é'.repeat(5_000))).toHaveLength(200);
  });

  it.each(['pass phrase of mine', 'p!a!s!s!w!o!r!d', 'line one\nline two'])(
    'S-39 shows no beginning of the credential %j that the cut goes through',
    (credential) => {
      const seen = (length: number): string =>
        scrub(`${block}${filler(2_000)}`.slice(0, 2_000 - length) + credential + filler(400), [new Secret(credential)]);
      for (let length = 4; length < credential.length; length++) {
        expect(seen(length)).not.toContain(credential.slice(0, Math.min(length, 8)));
      }
    },
  );

  it('S-45 shows no beginning of a key that the cut goes through', () => {
    const text = `${block}${filler(20)}`;
    const cut = `${text}${' '.repeat(1_990 - text.length)}a952bcbe-ec3b-4b5b-b8f9-11dae589608c`;
    expect(scrub(cut)).not.toContain('a952');
  });
});

describe('scrubCode', () => {
  it.each([
    'insufficient_balance',
    'signature_is_missing_from_headers',
    'deprecated_v1_order_endpoint',
    'MARKET_INACTIVE',
  ])('keeps %s, also in a text', (code) => {
    expect(scrubCode(code)).toBe(code);
    expect(scrub(code)).toBe(code);
  });

  it.each(['a952bcbe-ec3b-4b5b-b8f9-11dae589608c', '<html>', '', 'a'.repeat(21), '12'])('S-45 drops %p', (code) => {
    expect(scrubCode(code)).toBeNull();
  });

  it('S-53 judges a code at once that could be read in many ways', () => {
    for (const code of [`${'A_'.repeat(29)}-`, 'A_'.repeat(50_000), 'A'.repeat(100_000)]) {
      expect(scrubCode(code)).toBeNull();
      expect(scrub(code).length).toBeLessThanOrEqual(200);
      expect(shortestMs(() => [scrubCode(code), scrub(code)])).toBeLessThan(LONGEST_MS);
    }
  });

  it('S-39 drops a code that is a credential', () => {
    expect(scrubCode('passphrase', [new Secret('passphrase')])).toBeNull();
  });
});

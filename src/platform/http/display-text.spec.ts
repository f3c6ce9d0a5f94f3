import { describe, expect, it } from '@jest/globals';
import { isAvatarUrl, isDisplayName, isLabel } from './display-text.js';

describe('isDisplayName (S-47)', () => {
  it.each(['A', 'Ada Lovelace', ' Ada ', '李小龍', '🦄', 'x'.repeat(100), '🦄'.repeat(100), 'José 👩‍👩‍👧'])(
    'takes %j',
    (name) => {
      expect(isDisplayName(name)).toBe(true);
    },
  );

  it.each([
    '',
    ' ',
    '   ',
    '\u00a0\u2003\u3000',
    '\u200b\u2060',
    'x'.repeat(101),
    'a\nb',
    'a\u0000',
    'a\u2028b',
    '\u202eada',
    7,
    null,
  ])('refuses %j', (name) => {
    expect(isDisplayName(name)).toBe(false);
  });
});

describe('isLabel (contract.md 4)', () => {
  it.each(['a', 'my bot', '🦄'.repeat(64), '李'.repeat(64)])('takes %j', (label) => {
    expect(isLabel(label)).toBe(true);
  });

  it.each([
    '',
    'x'.repeat(65),
    '🦄'.repeat(65),
    `x${'\ufe0f'.repeat(64)}`,
    `e${'\u0301'.repeat(64)}`,
    'a\nb',
    'a\u202eb',
    7,
  ])('refuses %j', (value) => {
    expect(isLabel(value)).toBe(false);
  });
});

describe('isAvatarUrl (S-47)', () => {
  it.each(['https://example.com/ada.png', 'https://example.com/ä/李.png?size=2#top', 'HTTPS://EXAMPLE.COM'])(
    'takes %j',
    (url) => {
      expect(isAvatarUrl(url)).toBe(true);
    },
  );

  it.each([
    '\u0000',
    '\u0001',
    '\u001f',
    '\u007f',
    '\u0085',
    '\u061c',
    '\u200b',
    '\u200e',
    '\u200f',
    '\u2028',
    '\u2029',
    '\u202a',
    '\u202e',
    '\u2066',
    '\u2069',
    '\ufeff',
  ])('refuses %j anywhere in an address', (character) => {
    const urls = [`https://example.com/a${character}b`, `https://example.com${character}`, `https://a${character}b.c/`];
    expect(urls.filter(isAvatarUrl)).toEqual([]);
  });
});

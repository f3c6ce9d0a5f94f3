import { describe, expect, it } from '@jest/globals';
import { isDisplayName } from './display-text.js';

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

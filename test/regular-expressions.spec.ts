import { describe, expect, it } from '@jest/globals';
import { hostileTexts, slowTextOf, wordsOf } from './support/hostile.js';
import { regularExpressionsOf } from './support/sources.js';

const { literals, computed } = regularExpressionsOf('src');
const COMMON = hostileTexts();

describe('S-53 every regular expression of src', () => {
  it('is a literal, so that this test and the lint rule see it', () => {
    expect(computed).toEqual([]);
    expect(literals.length).toBeGreaterThan(100);
  });

  it.each(literals)('$place $expression looks through any 100 kB within 50 ms', ({ expression }) => {
    const slow = slowTextOf(expression, [...COMMON, ...hostileTexts(wordsOf(expression))]);
    expect(slow && `${slow.slice(0, 20)}…${slow.slice(-3)}`).toBeUndefined();
  });
});

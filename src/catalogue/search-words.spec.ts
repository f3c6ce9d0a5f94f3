import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { categoryWord, searchedWords, vectorOf, wordsIn } from './search-words.js';

describe('words of the catalogue (contract.md 5.19)', () => {
  it.each([
    ['Will São Paulo reach 30°?', ['will', 'sao', 'paulo', 'reach', '30']],
    ['Bitcoin above $100,000', ['bitcoin', 'above', '100000']],
    ['BTC 100k', ['btc', '100000']],
    ['Łódź, Ødegaard, Straße', ['lodz', 'odegaard', 'strasse']],
    ["Trump's U.S. visit", ['trump', 'us', 'visit']],
    ['by 25bps on Dec 05', ['by', '25bps', '25', 'bps', 'on', 'dec', '5']],
    ['KXHIGHNY-26DEC05-B55.5', ['kxhighny', '26dec05', 'b55.5']],
    ['💥 ‮ : & | !', []],
  ])('are folded in %j', (text, words) => {
    expect(wordsIn(text)).toEqual(words);
  });

  it('count once, where they count most, and are bounded', () => {
    expect(vectorOf([[wordsIn('Fed fed'), 'A'], [wordsIn('fed rate'), 'B']], 10)).toBe("'fed':1A 'rate':2B"); // prettier-ignore
    const many = wordsIn(Array.from({ length: 300 }, (_, at) => `word${at}`).join(' '));
    expect(vectorOf([[many, 'A']], 100).split(' ')).toHaveLength(100);
  });

  it('are cut between letters, not in the middle of one', () => {
    expect(wordsIn('a'.repeat(79) + '𐐨𐐨𐐨')).toEqual(['a'.repeat(79) + '𐐨']);
  });

  it.each([
    ['hurricanes', "('hurricanes':* | 'hurricane')"],
    ['the fed', "('fed':* | 'federal' | 'fomc')"],
    ['the', "('the':*)"],
    ['ai', "('ai')"],
    ['100k', "('100000')"],
    ['26dec', "('26dec':* | ('26' & 'dec'))"],
  ])('of the query %j are %s', (typed, match) => {
    expect(searchedWords(typed)?.match).toBe(match);
  });

  it('are eight at most, and none where there is no letter and no digit', () => {
    const typed = Array.from({ length: 12 }, (_, at) => `word${at}`).join(' ');
    expect(searchedWords(typed)?.match.split(' & ')).toHaveLength(8);
    expect(searchedWords(' & | !:* ')).toBeNull();
    expect(categoryWord('Climate & Weather')).toBe('climate-weather');
  });

  it('S-35 hold nothing of a query but letters, digits and points, whatever is typed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (typed) => {
        const { match, rank } = searchedWords(typed) ?? { match: '', rank: '' };
        for (const text of [match, rank]) expect(text).toMatch(/^(?:'[\p{L}\p{N}.]+'(?::\*)?|[ ()|&])*$/u);
        expect(vectorOf([[wordsIn(typed), 'A']], 300)).toMatch(/^(?:'[\p{L}\p{N}.]+':\d+A ?)*$/u);
      }),
    );
  });
});

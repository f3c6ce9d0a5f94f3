import { GROUPS, IDLE } from './like-words.js';

/* Words of titles and of queries, folded alike (contract.md 5.19). Signs that are no letter and no digit never reach the database. */

/** Words of a query that count. */
const MOST_WORDS = 8;
/** Letters from which the beginning of a word finds it. */
const PREFIX_FROM = 3;
const MOST_LETTERS = 80;
const MOST_CATEGORY = 100;

/** How much it counts where a word stands: A in the title, B in the event's, C in ids, D in categories. */
export type Place = 'A' | 'B' | 'C' | 'D';

const UNLIKE: Readonly<Record<string, string>> = { ł: 'l', ø: 'o', đ: 'd', ß: 'ss', æ: 'ae', œ: 'oe', ı: 'i', þ: 'th' };
const THOUSANDS: Readonly<Record<string, number>> = { k: 1e3, m: 1e6, b: 1e9, bn: 1e9 };

/** Without accents, in lower case. */
function folded(text: string): string {
  const plain = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return plain.replaceAll(/[łøđßæœıþ]/g, (letter) => UNLIKE[letter] ?? letter);
}

/** The words of a text, in their order: `$100,000` is `100000`, `U.S.` is `us`, `Trump's` is `trump`. */
function tokensOf(text: string): string[] {
  const joined = folded(text)
    .replaceAll(/(?<=\d),(?=\d{3})/g, '')
    .replaceAll(/['’]s(?![\p{L}\p{N}])/gu, '')
    .replaceAll(/(?<![\p{L}\p{N}])(\p{L})\.(?=\p{L}(?![\p{L}\p{N}]))/gu, '$1');
  return (joined.match(/[\p{L}\p{N}]+(?:\.\d+)?/gu) ?? []).map((token) =>
    token.length > MOST_LETTERS ? Array.from(token).slice(0, MOST_LETTERS).join('') : token,
  );
}

/** One number in one way: `05` is `5`, `3.0` is `3`, `100k` is `100000`; the token itself where it is none. */
function asNumber(token: string): string {
  const [, digits = '', unit = ''] = /^(\d{1,12}(?:\.\d{1,6})?)(k|m|bn?|st|nd|rd|th)?$/.exec(token) ?? [];
  if (digits === '') return token;
  return String(Number((Number(digits) * (THOUSANDS[unit] ?? 1)).toPrecision(12)));
}

/** A number with what stands at it: `25bps`; null for anything else. */
function numberWithUnit(token: string): readonly [number: string, unit: string] | null {
  const [, digits, unit] = /^(\d{1,12}(?:\.\d{1,6})?)(\p{L}{1,5})$/u.exec(token) ?? [];
  return digits === undefined || unit === undefined ? null : [asNumber(digits), unit];
}

/** The words that a row has of a text, in their order: a number with a unit is there in parts too. */
export function wordsIn(text: string | null): string[] {
  return tokensOf(text ?? '').flatMap((token) => {
    const word = asNumber(token);
    return [word, ...((word === token ? numberWithUnit(token) : null) ?? [])];
  });
}

/**
 * Each of the words once, where it counts most, at most `most`: a value of the type `tsvector`. After four times as many words no other text
 * is read, so that long ones which repeat themselves take no longer.
 */
export function vectorOf(texts: Iterable<readonly [words: readonly string[], place: Place]>, most: number): string {
  const places = new Map<string, Place>();
  let read = 0;
  for (const [words, place] of texts) {
    if (places.size >= most || read >= 4 * most) break;
    read += words.length;
    for (const word of words) {
      if (places.size >= most) break;
      if (!places.has(word)) places.set(word, place);
    }
  }
  return [...places].map(([word, place], at) => `'${word}':${at + 1}${place}`).join(' ');
}

/** What a query asks for, as two values of the type `tsquery`. */
export interface SearchedWords {
  /** Every word, or one like it. */
  readonly match: string;
  /** What makes one row better than another. */
  readonly rank: string;
}

/** Returns the first 8 words of a query; null where it has none. */
export function searchedWords(text: string): SearchedWords | null {
  const all = tokensOf(text.replaceAll(/super\s+bowl/gi, 'superbowl'));
  const telling = all.filter((token) => !IDLE.has(token));
  const tokens = [...new Set(telling.length > 0 ? telling : all)].slice(0, MOST_WORDS);
  if (tokens.length === 0) return null;
  const exact = tokens.map((token) => `'${asNumber(token)}'`);
  const each = tokens.map((token) => alternativesOf(token));
  const like = each.flatMap((alternatives) => alternatives.filter((one) => !one.includes('&')));
  return {
    match: each.map((alternatives) => `(${alternatives.join(' | ')})`).join(' & '),
    rank: [...exact, ...like].join(' | '),
  };
}

/** The ways in which a word may stand in a row. */
function alternativesOf(token: string): string[] {
  const number = asNumber(token);
  const isNumber = /^\d/.test(number) && !/\p{L}/u.test(number);
  const itself = isNumber || token.length < PREFIX_FROM ? `'${number}'` : `'${token}':*`;
  const parts = numberWithUnit(token);
  const ways = [itself, ...singularsOf(token).map((word) => `'${word}'`), ...likeWords(token)];
  return parts === null || number !== token ? ways : [...ways, `('${parts[0]}' & '${parts[1]}')`];
}

function singularsOf(token: string): string[] {
  if (!/^\p{L}{4,}$/u.test(token) || !/[^s]s$/.test(token)) return [];
  if (token.endsWith('ies')) return [`${token.slice(0, -3)}y`];
  return /(?:ch|sh|x|z|ss)es$/.test(token) ? [token.slice(0, -2)] : [token.slice(0, -1)];
}

/** Words for the same thing; several that stand together are in one pair of brackets. */
function likeWords(token: string): string[] {
  const [singular = token] = singularsOf(token);
  const group = GROUPS.find((words) => words.includes(token) || words.includes(singular)) ?? [];
  return group
    .filter((word) => word !== token)
    .map((word) => {
      const parts = word.split(' ').map((part) => `'${part}'`);
      return parts.length === 1 ? (parts[0] ?? '') : `(${parts.join(' & ')})`;
    });
}

/** A category or tag as filters compare it: of a long one the beginning. */
export function categoryWord(text: string): string {
  return Array.from(tokensOf(text.slice(0, MOST_CATEGORY)).join('-'))
    .slice(0, MOST_CATEGORY)
    .join('');
}

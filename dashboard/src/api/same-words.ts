import { queryOptions, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { api } from '../session/session.js';
import { type ExchangeId, type Market, take } from './client.js';

/** So many are shown. */
const MOST = 5;
/** The service counts no more (contract.md 5.19). */
const MOST_WORDS = 8;
/** No word of a language is longer, but for ones that nobody searches. */
const LONGEST = 30;
const SHORTEST = 3;
/** A shorter word says little by itself. */
const TELLING = 6;

/** Words of every question, which say nothing of what it asks. */
const EVERYDAY = new Set(
  'will would does did the and for are was has have with from this that than then above below over under between before after more less most least who what when which how win out its his her their any all not yes been into than other next'.split(
    ' ',
  ),
);

/** The words of a title that tell it from others, in their order. */
function wordsOf(title: string): string[] {
  const words = title.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? [];
  const telling = words.filter((word) => word.length <= LONGEST && !EVERYDAY.has(word));
  return [...new Set(telling.filter((word) => word.length >= SHORTEST || /\d{2}/.test(word)))].slice(0, MOST_WORDS);
}

/** All of them, then the longest three, two, and one: a search finds what has every word. */
function triesOf(words: readonly string[]): string[] {
  const longest = [...words].sort((a, b) => b.length - a.length);
  const alone = (longest[0]?.length ?? 0) < TELLING ? [] : [1];
  const tries = [words.length, 3, 2, ...alone].map((count) => {
    const some = new Set(longest.slice(0, count));
    return words.filter((word) => some.has(word)).join(' ');
  });
  return [...new Set(tries)].filter((text) => text !== '');
}

/** Open markets of another exchange that have words of a title. */
export interface SameWords {
  /** Those that they have; those of the last search where nothing is found; empty where there are none to search. */
  readonly words: string;
  readonly markets: readonly Market[];
}

/** One call after the other, four at most, none of them to an exchange. Only where the service keeps a catalogue. */
function sameWordsQuery(exchange: ExchangeId, title: string) {
  return queryOptions({
    queryKey: ['same-words', exchange, title],
    queryFn: async (): Promise<SameWords> => {
      const tries = triesOf(wordsOf(title));
      for (const words of tries) {
        const query = { search: words, exchange, limit: MOST };
        const { data } = await take(api.GET('/markets', { params: { query } }));
        if (data.length > 0) return { words, markets: data };
      }
      return { words: tries.at(-1) ?? '', markets: [] };
    },
    staleTime: 60_000,
  });
}

export function useSameWords(exchange: ExchangeId, title: string): UseQueryResult<SameWords> {
  return useQuery(sameWordsQuery(exchange, title));
}

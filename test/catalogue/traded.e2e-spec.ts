import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CatalogueRows } from '../../src/catalogue/catalogue-search.repository.js';
import { searchedWords } from '../../src/catalogue/search-words.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { until } from './stand.js';

const ALL = 20_000;
/** Rows with a word are as many apart, and the first is this one; the volume of row `n` is 10 n. */
const WORDS = { common: [5, 1], much: [50, 2], traded: [150, 3], seldom: [300, 4] } as const;
const FILTERS = {
  ...{ exchanges: ['kalshi'], category: null, closesAfter: null, closesBefore: null },
  ...{ minVolume: null, unit: null },
};

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  await app.query(
    `INSERT INTO catalogue_markets
     SELECT 'kalshi', 'M' || n, NULL, NULL,
            (CASE WHEN n % 5 = 1 THEN 'common' WHEN n % 50 = 2 THEN 'much' WHEN n % 150 = 3 THEN 'traded'
                  WHEN n % 300 = 4 THEN 'seldom' ELSE 'other' END || ':1A')::tsvector,
            '{}', 10 * n, 'contracts', 'infinity', '-infinity', '', '{}'
       FROM generate_series(1, $1::int) AS n`,
    [ALL],
  );
  await app.query('ANALYZE catalogue_markets');
});
afterAll(() => app.close());

/** Ids of the rows with a word, the highest volume first. */
function expected(word: keyof typeof WORDS): string[] {
  const [apart, first] = WORDS[word];
  const all = Array.from({ length: Math.ceil((ALL - first + 1) / apart) }, (_, index) => `M${first + index * apart}`);
  return all.reverse().slice(0, 100);
}

async function found(word: keyof typeof WORDS, order: 'best' | 'volume'): Promise<string[]> {
  const words = searchedWords(word);
  const filters = { ...FILTERS, unit: order === 'volume' ? ('contracts' as const) : null };
  const table = 'catalogue_markets';
  const query = { table, words, order, filters, units: ['contracts'], after: null, limit: 100 } as const;
  return (await app.get(CatalogueRows).find(query)).map(({ id }) => id);
}

async function readsOf(index: string): Promise<number> {
  const [row] = await app.query('SELECT idx_scan::int AS reads FROM pg_stat_user_indexes WHERE indexrelname = $1', [
    index,
  ]);
  return Number(row?.reads);
}

describe('words of what is traded (contract.md 5.19)', () => {
  it.each(
    (['common', 'much', 'traded', 'seldom'] as const).flatMap((word) =>
      (['best', 'volume'] as const).map((order) => ({ word, order })),
    ),
  )('finds the hundred that are traded most with the word $word, sorted by $order', async ({ word, order }) => {
    // The statement is planned with its values at first, later without.
    for (let round = 0; round < 8; round += 1) expect(await found(word, order)).toEqual(expected(word));
  });

  it.each([
    ['much', 'catalogue_markets_words_contracts_100000'],
    ['traded', 'catalogue_markets_words_contracts_1000'],
    ['seldom', 'catalogue_markets_words_contracts'],
  ] as const)('reads the word %s by the smallest index that has a hundred, %s', async (word, index) => {
    const before = await readsOf(index);
    await until(async () => {
      await found(word, 'best');
      return (await readsOf(index)) > before;
    });
    expect(await readsOf(index)).toBeGreaterThan(before);
  });
});

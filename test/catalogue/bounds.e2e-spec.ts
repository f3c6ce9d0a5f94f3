import { afterEach, describe, expect, it } from '@jest/globals';
import { exchangeAddresses } from '../../sandbox/demo/environment.js';
import { startTestApp } from '../support/app.js';
import { type CatalogueStand, startCatalogue, until, walked } from './stand.js';

const ALL = 25_000;
const FULL = 400_000;

let stand: CatalogueStand;
afterEach(() => stand.close());

/** So many markets, `M1` and on, by statements that end in time. */
async function fill(count: number): Promise<void> {
  for (let from = 1; from <= count; from += 20_000)
    await stand.app.query(
      `INSERT INTO catalogue_markets
       SELECT 'kalshi', 'M' || n, NULL, NULL, '''word'':1A', '{}', 1, 'contracts', 'infinity', '-infinity', '', '{}'
         FROM generate_series($1::int, $2::int) AS n`,
      [from, Math.min(count, from + 19_999)],
    );
}

async function countOf(condition = 'true'): Promise<number> {
  const [row] = await stand.app.query(
    `SELECT count(*)::int AS count FROM catalogue_markets WHERE exchange = 'kalshi' AND ${condition}`,
  );
  return Number(row?.count);
}

/** A walk of which every page is kept, and which has shown the first so many markets: its end is what is left. */
async function ended(shown: number): Promise<{ end: () => Promise<void> }> {
  stand = await startCatalogue({ CATALOGUE_REFRESH: '0' }, false);
  const { app, sandbox } = stand;
  await fill(ALL);
  await app.query(`INSERT INTO catalogue_parts (exchange, walk, is_walking, is_read, pages, started_at, as_of)
    VALUES ('kalshi', 3, true, true, 1, clock_timestamp(), '2020-01-01'), ('polymarket', 3, true, true, 1, clock_timestamp(), '2020-01-01')`);
  await app.query(
    `INSERT INTO catalogue_pages SELECT 'kalshi', 0, array_agg('M' || n), '{}', '{}' FROM generate_series(1, $1) AS n`,
    [shown],
  );
  await app.query(`CREATE TABLE removed (count integer);
    CREATE FUNCTION note_removed() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN INSERT INTO removed SELECT count(*) FROM gone; RETURN NULL; END $$;
    CREATE TRIGGER noted AFTER DELETE ON catalogue_markets REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION note_removed()`);
  const other = await startTestApp({ ...exchangeAddresses(sandbox.addresses), CATALOGUE_REFRESH: '1d' }, app.database);
  await until(
    async () =>
      (await app.query(`SELECT FROM catalogue_parts WHERE exchange = 'kalshi' AND NOT is_walking`)).length > 0,
  );
  return { end: () => other.close() };
}

describe('the bounds of the catalogue (contract.md 5.19)', () => {
  it('removes what a complete walk has not shown, some at a time', async () => {
    const { end } = await ended(13_000);
    try {
      expect(await countOf()).toBe(13_000);
      expect(await countOf(`substr(id, 2)::int > 13000`)).toBe(0);
      const removed = (await stand.app.query('SELECT count FROM removed WHERE count > 0')).map(({ count }) =>
        Number(count),
      );
      expect(removed).toEqual([5_000, 5_000, 2_000]);
      const [part] = await stand.app.query(
        `SELECT as_of = started_at AS is_last FROM catalogue_parts WHERE exchange = 'kalshi'`,
      );
      expect(part).toEqual({ is_last: true });
    } finally {
      await end();
    }
  }, 120_000);

  it('removes nothing where a walk has shown less than half, and is then no complete one', async () => {
    const { end } = await ended(ALL / 2 - 1);
    try {
      expect(await countOf()).toBe(ALL);
      const [part] = await stand.app.query(
        `SELECT as_of = '2020-01-01' AS is_old FROM catalogue_parts WHERE exchange = 'kalshi'`,
      );
      expect(part).toEqual({ is_old: true });
    } finally {
      await end();
    }
  }, 120_000);

  it('adds nothing to a full table, but writes what it knows', async () => {
    stand = await startCatalogue({ CATALOGUE_REFRESH: '2s' }, false);
    await walked(stand);
    await fill(FULL);
    await until(() => Promise.resolve(stand.app.logLines.some((line) => line.includes('The catalogue is full'))));
    await stand.app.query(`DELETE FROM catalogue_markets WHERE id LIKE 'KX%' AND id <> 'KXHIGHNY-TODAY-T58'`);
    await stand.app.query(`UPDATE catalogue_markets SET digest = '' WHERE id = 'KXHIGHNY-TODAY-T58'`);
    await until(async () => (await countOf(`id = 'KXHIGHNY-TODAY-T58' AND digest <> ''`)) === 1);
    expect(await countOf(`id LIKE 'KX%'`)).toBe(1);
  }, 240_000);

  it('reads an event of more than 1 MiB by itself', async () => {
    stand = await startCatalogue({ CATALOGUE_REFRESH: '2s' }, false);
    await walked(stand);
    const read = await fetch(`${stand.sandbox.kalshi.account.api_url}/events?status=open&with_nested_markets=true`);
    const { events } = (await read.json()) as { events: { event_ticker: string; markets: object[] }[] };
    const [first] = events;
    const markets = Array.from({ length: 12 }, (_, index) => ({
      ...first?.markets[0],
      ...{ ticker: `LONG-${index}`, event_ticker: 'LONG', rules_primary: 'x'.repeat(200_000) },
    }));
    const long = { ...first, event_ticker: 'LONG', markets };
    stand.sandbox.faults.add({
      ...{ exchange: 'kalshi', method: 'GET', path: '/events', times: 100 },
      ...{ fault: 'status', status: 200, body: { events: [long, ...events], cursor: '' } },
    });
    await until(async () => (await countOf(`event_id = 'LONG'`)) > 0, 100);
    expect(await countOf(`event_id = 'LONG'`)).toBe(12);
  }, 150_000);
});

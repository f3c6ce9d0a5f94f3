import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type CatalogueStand, type FoundList, type FoundMarket, startCatalogue, until, walked } from './stand.js';

const CLOSED = 'KXHIGHNY-TODAY-T58';
const GONE = 'KXGONE-TODAY';

let stand: CatalogueStand;
afterEach(() => stand.close());

type Shown = FoundMarket & { readonly status: string; readonly tradable: boolean };

async function shown(id: string): Promise<Shown | undefined> {
  const answer = await stand.get('/markets', { search: id });
  return ((answer.body as FoundList).data as Shown[]).find((market) => market.id === id);
}

async function isKept(id: string): Promise<boolean> {
  return (await stand.app.query('SELECT 1 FROM catalogue_markets WHERE id = $1', [id])).length > 0;
}

/** Calls that read quotes of this market. */
function readsOf(id: string): unknown[] {
  return stand.sandbox.log.list('kalshi').filter(({ path, query }) => path.endsWith('/markets') && query.includes(id));
}

describe('what a search learns of its markets between two walks (contract.md 5.19)', () => {
  it('shows a market that has closed as closed, and keeps it no longer', async () => {
    stand = await startCatalogue({}, false);
    await walked(stand);
    expect(await shown(CLOSED)).toMatchObject({ status: 'open' });
    stand.sandbox.kalshi.exchange.settle(CLOSED, 'yes', Date.now());
    await until(async () => (await shown(CLOSED))?.tradable !== true, 15);
    expect(['closed', 'settled', undefined]).toContain((await shown(CLOSED))?.status);
    await until(async () => !(await isKept(CLOSED)), 15);
    expect(await shown(CLOSED)).toBeUndefined();
    expect(await isKept('KXHIGHNY-TODAY-B55.5')).toBe(true);
  }, 60_000);

  it('shows one that its exchange no longer has as not tradable, keeps it for the walk, and asks once in 5 s', async () => {
    stand = await startCatalogue({}, false);
    await walked(stand);
    await stand.app.query(
      `INSERT INTO catalogue_markets
       SELECT exchange, $1, event_id, series_id, ('''' || lower($1) || ''':1A')::tsvector || '''kxgone'':2A ''today'':3A', categories,
              volume_24h, volume_unit, closes_at, made_at, digest, replace(shown::text, $2, $1)::json
         FROM catalogue_markets WHERE id = $2`,
      [GONE, CLOSED],
    );
    await until(async () => (await shown(GONE))?.tradable === false, 15);
    stand.sandbox.log.clear();
    const from = performance.now();
    while (performance.now() - from < 3_500) {
      expect(await shown(GONE)).toMatchObject({ tradable: false });
      await delay(300);
    }
    expect(readsOf(GONE).length).toBeLessThanOrEqual(1);
    expect(await isKept(GONE)).toBe(true);
  }, 60_000);

  it('says of an exchange that was never walked completely when its first walk began', async () => {
    stand = await startCatalogue({ CATALOGUE_REFRESH: '1d' }, false);
    await walked(stand);
    await stand.app.query(
      `UPDATE catalogue_parts SET as_of = NULL, since = clock_timestamp() - interval '1 hour' WHERE exchange = 'kalshi'`,
    );
    const [part] = await stand.app.query(`SELECT since FROM catalogue_parts WHERE exchange = 'kalshi'`);
    const answer = await stand.get('/kalshi/markets', { search: 'high' });
    expect(Date.parse((answer.body as { timestamp: string }).timestamp)).toBe((part?.since as Date).getTime());
  }, 60_000);
});

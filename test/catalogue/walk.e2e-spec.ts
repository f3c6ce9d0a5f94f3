import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Fault } from '../../sandbox/wire/faults.js';
import { exchangeAddresses } from '../../sandbox/demo/environment.js';
import { startInstance } from '../support/instance.js';
import { startTestApp } from '../support/app.js';
import { type CatalogueStand, type FoundList, startCatalogue, until, walked } from './stand.js';

const GAMMA = '/events/keyset';

let stand: CatalogueStand;
afterEach(() => stand.close());

/** The calls of the walk, each with its time. */
function callsOf(exchange: 'kalshi' | 'polymarket', { sandbox }: CatalogueStand) {
  return sandbox.log
    .list(exchange)
    .filter(({ path, query }) => path.endsWith(GAMMA) || query.includes('with_nested_markets=true'))
    .map(({ query, received_at }) => {
      const parameters = new URLSearchParams(query);
      return { cursor: parameters.get('cursor') ?? parameters.get('after_cursor'), at: Date.parse(received_at) };
    });
}

async function idsOf({ app }: CatalogueStand, exchange: string): Promise<string[]> {
  const rows = await app.query('SELECT id FROM catalogue_markets WHERE exchange = $1 ORDER BY id', [exchange]);
  return rows.map(({ id }) => String(id));
}

async function agesOf({ get }: CatalogueStand): Promise<FoundList['as_of']> {
  return ((await get('/markets', { limit: '1' })).body as FoundList).as_of;
}

/** Waits until an exchange was walked completely once more. */
async function walkedAgain(exchange: string): Promise<void> {
  const before = (await agesOf(stand))[exchange];
  await until(async () => (await agesOf(stand))[exchange] !== before);
}

function onEvents(fault: Omit<Fault, 'exchange' | 'method' | 'path' | 'times'>, times = 1): Fault {
  return { exchange: 'kalshi', method: 'GET', path: '/events', times, ...fault };
}

describe('the walk of the catalogue (contract.md 5.19)', () => {
  it('is made by one of two instances, at most two calls a second, each page once, and leaves combinations out', async () => {
    stand = await startCatalogue();
    const { app, sandbox } = stand;
    const other = await startTestApp(
      { ...exchangeAddresses(sandbox.addresses), CATALOGUE_REFRESH: '10m' },
      app.database,
    );
    try {
      await walked(stand);
      const [kalshi, polymarket] = [callsOf('kalshi', stand), callsOf('polymarket', stand)];
      for (const calls of [kalshi, polymarket]) {
        expect(calls.length).toBeGreaterThan(3);
        expect(new Set(calls.map(({ cursor }) => cursor)).size).toBe(calls.length);
      }
      const times = [...kalshi, ...polymarket].map(({ at }) => at).sort((one, next) => one - next);
      for (const [index, at] of times.entries()) expect(at - (times[index - 2] ?? 0)).toBeGreaterThan(980);
      expect((await idsOf(stand, 'kalshi')).filter((id) => id.startsWith('KXMVE'))).toEqual([]);
      expect((await idsOf(stand, 'kalshi')).length).toBeGreaterThan(900);
    } finally {
      await other.close();
    }
  }, 120_000);

  it('R-9 goes on where kill -9 cut it off, by another instance', async () => {
    stand = await startCatalogue({ CATALOGUE_REFRESH: '0' });
    const { app, sandbox } = stand;
    const overrides = { ...exchangeAddresses(sandbox.addresses), CATALOGUE_REFRESH: '10m' };
    const pages = async (): Promise<number> => {
      const [row] = await app.query('SELECT sum(pages)::int AS pages FROM catalogue_parts');
      return Number(row?.pages);
    };
    const first = await startInstance(app, overrides);
    await until(async () => (await pages()) >= 4);
    await first.kill();
    const cut = await pages();
    const second = await startInstance(app, overrides);
    try {
      await until(async () => {
        const done = await app.query('SELECT 1 FROM catalogue_parts WHERE as_of IS NOT NULL');
        return done.length === 2;
      }, 100);
    } finally {
      await second.close();
    }
    expect(cut).toBeGreaterThan(3);
    for (const exchange of ['kalshi', 'polymarket'] as const) {
      const calls = callsOf(exchange, stand);
      expect(calls.filter(({ cursor }) => cursor === null)).toHaveLength(1);
      expect(calls.length - new Set(calls.map(({ cursor }) => cursor)).size).toBeLessThanOrEqual(1);
      expect((await idsOf(stand, exchange)).length).toBeGreaterThan(900);
    }
  }, 180_000);

  it('writes changed rows alone, and removes what closed once a walk is complete', async () => {
    stand = await startCatalogue({ CATALOGUE_REFRESH: '2s' }, false);
    await walked(stand);
    const rows = () =>
      stand.app.query('SELECT id, ctid::text, xmax::text FROM catalogue_markets ORDER BY exchange, id');
    const before = await rows();
    expect(await idsOf(stand, 'kalshi')).toContain('KXHIGHNY-TODAY-T58');
    await walkedAgain('kalshi');
    expect(await rows()).toEqual(before);
    stand.sandbox.kalshi.exchange.settle('KXHIGHNY-TODAY-T58', 'yes', Date.now());
    await walkedAgain('kalshi');
    await walkedAgain('kalshi');
    expect(await idsOf(stand, 'kalshi')).not.toContain('KXHIGHNY-TODAY-T58');
    expect(await idsOf(stand, 'kalshi')).toContain('KXHIGHNY-TODAY-B55.5');
  }, 120_000);

  it('waits as long as a 429 says, and goes on', async () => {
    stand = await startCatalogue({ CATALOGUE_REFRESH: '2s' }, false);
    await walked(stand);
    stand.sandbox.log.clear();
    stand.sandbox.faults.add(onEvents({ fault: 'status', status: 429, headers: { 'retry-after': '7' } }));
    await until(() => Promise.resolve(callsOf('kalshi', stand).length > 0));
    await walkedAgain('kalshi');
    const [first, second] = callsOf('kalshi', stand);
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(6_900);
    expect(await idsOf(stand, 'kalshi')).not.toEqual([]);
  }, 120_000);

  it.each([
    ['no JSON', { fault: 'broken_body' }],
    ['another shape', { fault: 'status', status: 200, body: { events: 'none' } }],
    ['entries without an id', { fault: 'status', status: 200, body: { events: [{ title: 'x' }], cursor: '' } }],
    ['more than 1 MiB', { fault: 'oversized' }],
    ['an error', { fault: 'status', status: 500 }],
  ] as const)(
    'reads a page again that is %s, and removes nothing',
    async (_, fault) => {
      stand = await startCatalogue({ CATALOGUE_REFRESH: '2s' }, false);
      await walked(stand);
      const before = await idsOf(stand, 'kalshi');
      stand.sandbox.faults.add(onEvents(fault));
      await until(() => Promise.resolve(stand.sandbox.faults.list().length === 0));
      expect(await idsOf(stand, 'kalshi')).toEqual(before);
      await walkedAgain('kalshi');
      expect(await idsOf(stand, 'kalshi')).toEqual(before);
    },
    120_000,
  );

  it.each([
    ['nothing', []],
    ['one event of which only the id can be read', [{ event_ticker: 'KXHIGHNY-TODAY', markets: 7 }]],
  ])(
    'removes nothing, and warns, where a list holds %s',
    async (_, events) => {
      stand = await startCatalogue({ CATALOGUE_REFRESH: '2s' }, false);
      await walked(stand);
      const before = await idsOf(stand, 'kalshi');
      const ages = await agesOf(stand);
      stand.sandbox.faults.add(onEvents({ fault: 'status', status: 200, body: { events, cursor: '' } }, 2));
      await until(() => Promise.resolve(stand.app.logLines.some((line) => line.includes('more than half'))));
      expect(await idsOf(stand, 'kalshi')).toEqual(before);
      await until(() => Promise.resolve(stand.sandbox.faults.list().length === 0));
      await until(async () => (await agesOf(stand)).kalshi !== ages.kalshi);
      expect(await idsOf(stand, 'kalshi')).toEqual(before);
    },
    120_000,
  );

  it('keeps the markets of an event that cannot be read', async () => {
    stand = await startCatalogue({ CATALOGUE_REFRESH: '2s' }, false);
    await walked(stand);
    const before = await idsOf(stand, 'kalshi');
    const answer = await fetch(`${stand.sandbox.kalshi.account.api_url}/events?status=open&with_nested_markets=true`);
    const { events } = (await answer.json()) as { events: { event_ticker: string }[] };
    const spoiled = events.map((event) => (event.event_ticker === 'KXHIGHNY-TODAY' ? { ...event, markets: 7 } : event));
    stand.sandbox.faults.add(onEvents({ fault: 'status', status: 200, body: { events: spoiled, cursor: '' } }, 3));
    await until(() => Promise.resolve(stand.sandbox.faults.list().length === 0));
    await delay(1_000);
    expect(await idsOf(stand, 'kalshi')).toEqual(before);
  }, 120_000);

  it('leaves out of a page what PostgreSQL cannot keep, and keeps the rest', async () => {
    stand = await startCatalogue({ CATALOGUE_REFRESH: '2s' }, false);
    await walked(stand);
    const before = await idsOf(stand, 'kalshi');
    const answer = await fetch(`${stand.sandbox.kalshi.account.api_url}/events?status=open&with_nested_markets=true`);
    const { events } = (await answer.json()) as { events: { markets: { status: string }[] }[] };
    const like = (ticker: string, title: string) => {
      const first = events.find(({ markets }) => markets.some(({ status }) => status === 'active'));
      const markets = first?.markets.filter(({ status }) => status === 'active').slice(0, 1).map((market) => ({ ...market, ticker: `${ticker}-M`, event_ticker: ticker })); // prettier-ignore
      return { ...first, event_ticker: ticker, title, markets };
    };
    const bad = [
      like('ESCAPED', 'a literal \\u0000 in it'),
      like('NUL', 'a NUL \u0000 in it'),
      like('HALF', `${'x'.repeat(79)}\uD83D \uDE00`),
      like('LONG', 'word '.repeat(2_000)),
      like('NUL\u0000ID', 'an id with NUL'),
      like('HALF\uD83DID', 'an id with a half'),
      like('X'.repeat(5_000), 'an id that is too long'),
    ];
    stand.sandbox.faults.add(
      onEvents({ fault: 'status', status: 200, body: { events: [...bad, ...events], cursor: '' } }, 200),
    );
    await until(async () => (await idsOf(stand, 'kalshi')).includes('LONG-M'));
    expect((await idsOf(stand, 'kalshi')).filter((id) => !before.includes(id))).toEqual(
      ['ESCAPED-M', 'HALF-M', 'LONG-M', 'NUL-M'],
    ); // prettier-ignore
    expect(await idsOf(stand, 'kalshi')).toEqual(expect.arrayContaining(before));
  }, 120_000);

  it('leaves out an event that the database refuses for another reason, and removes nothing of it', async () => {
    stand = await startCatalogue({ CATALOGUE_REFRESH: '2s' }, false);
    await walked(stand);
    const before = await idsOf(stand, 'kalshi');
    await stand.app.query("UPDATE catalogue_markets SET digest = ''");
    await stand.app.query("UPDATE catalogue_events SET digest = ''");
    await stand.app.query(
      `ALTER TABLE catalogue_markets ADD CONSTRAINT refused CHECK (id <> 'KXHIGHNY-TODAY-T58' OR digest = '')`,
    );
    await walkedAgain('kalshi');
    await walkedAgain('kalshi');
    expect(await idsOf(stand, 'kalshi')).toEqual(before);
    const old = await stand.app.query(
      "SELECT DISTINCT event_id FROM catalogue_markets WHERE exchange = 'kalshi' AND digest = ''",
    );
    expect(old).toEqual([{ event_id: 'KXHIGHNY-TODAY' }]);
    expect(stand.app.logLines.some((line) => line.includes('that the database refuses'))).toBe(true);
  }, 120_000);

  it('ends a walk of which every page is kept, without a call, where kill -9 came before its end', async () => {
    stand = await startCatalogue({ CATALOGUE_REFRESH: '0' }, false);
    const { app, sandbox } = stand;
    await app.query(`INSERT INTO catalogue_parts (exchange, walk, is_walking, is_read, pages, started_at)
      VALUES ('kalshi', 3, true, true, 1, clock_timestamp()), ('polymarket', 3, true, true, 1, clock_timestamp())`);
    const other = await startTestApp(
      { ...exchangeAddresses(sandbox.addresses), CATALOGUE_REFRESH: '10m' },
      app.database,
    );
    try {
      await until(async () => (await app.query('SELECT 1 FROM catalogue_parts WHERE as_of IS NOT NULL')).length === 2);
      expect(await app.query('SELECT as_of = started_at AS is_last, is_read FROM catalogue_parts')).toEqual([
        { is_last: true, is_read: false },
        { is_last: true, is_read: false },
      ]);
      expect([...callsOf('kalshi', stand), ...callsOf('polymarket', stand)]).toEqual([]);
    } finally {
      await other.close();
    }
  }, 60_000);
});

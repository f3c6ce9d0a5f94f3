import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakePolymarket, sample, sampleObject } from '../support/fake-polymarket.js';
import type { ArrivedRequest } from '../support/fake-server.js';
import type { MarketData } from '../../src/exchanges/market-data.contract.js';

const FIRST = { limit: 50, cursor: null };
const KEYSET = 'GET /gamma/markets/keyset';
const OPEN = sampleObject('gamma-market');
const SETTLED = sampleObject('gamma-market-closed');
const EVENT = Object(sample('gamma-event')) as Record<string, unknown> & { markets: Record<string, unknown>[] };

/** A market like the sample, with other names. */
function named(number: number, change: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const conditionId = `0x${String(number).padStart(64, '0')}`;
  return { ...OPEN, id: String(number), conditionId, slug: `market-${number}`, ...change };
}

/** Answers a keyset list from some markets, as Gamma filters by ids and `closed`. */
function keyset(markets: readonly Record<string, unknown>[]) {
  return ({ query }: ArrivedRequest) => ({
    body: {
      markets: markets.filter(
        (market) =>
          String(market.closed) === query.get('closed') &&
          [
            ['condition_ids', 'conditionId'],
            ['id', 'id'],
            ['slug', 'slug'],
          ].every(([name = '', field = '']) => !query.has(name) || query.getAll(name).includes(String(market[field]))),
      ),
    },
  });
}

let fake: FakePolymarket;
let marketData: MarketData;

beforeEach(async () => {
  fake = await FakePolymarket.start();
  ({ marketData } = fake.exchange);
});

afterEach(async () => {
  await fake.close();
});

describe('listMarkets', () => {
  it('unified-schema.md 9 asks for open markets, passes the cursor on and drops what cannot be traded', async () => {
    const paused = named(2, { acceptingOrders: false });
    const bookless = named(4, { enableOrderBook: false });
    fake.on(KEYSET, () => ({ body: { markets: [named(1), paused, named(3), bookless], next_cursor: 'abc' } }));
    const { value, source } = await marketData.listMarkets({ status: 'open' }, { limit: 3, cursor: 'before' });
    expect(value.items.map(({ refs }) => refs.gamma_id)).toEqual(['1', '3']);
    expect({ next: value.next, source }).toEqual({ next: 'abc', source: 'received' });
    const [request] = fake.at(KEYSET);
    expect(Object.fromEntries(request?.query ?? [])).toEqual({
      limit: '3',
      closed: 'false',
      include_tag: 'true',
      after_cursor: 'before',
    });
  });

  it('unified-schema.md 9 ends where the exchange gives no cursor', async () => {
    fake.on(KEYSET, () => ({ body: { markets: [named(1)] } }));
    expect((await marketData.listMarkets({ status: 'open' }, FIRST)).value.next).toBeNull();
  });

  it('contract.md 5 answers exchange_error to a page that repeats itself', async () => {
    fake.on(KEYSET, () => ({ body: { markets: [named(1)], next_cursor: 'same' } }));
    const again = marketData.listMarkets({ status: 'open' }, { limit: 50, cursor: 'same' });
    await expect(again).rejects.toMatchObject({ code: 'exchange_error' });
  });

  it.each([
    ['closed', ['1']],
    ['settled', ['511754']],
  ] as const)('unified-schema.md 9 tells %s apart among the closed ones', async (status, ids) => {
    fake.on(KEYSET, keyset([named(1, { closed: true }), SETTLED, named(2)]));
    const { value } = await marketData.listMarkets({ status }, FIRST);
    expect(value.items.map(({ refs }) => refs.gamma_id)).toEqual(ids);
  });

  it.each([
    [{ status: 'unopened' }],
    [{ status: 'paused' }],
    [{ series_id: '5' }],
    [{ search: 'x', sort: { by: 'volume', descending: true } }],
    [{ search: 'x', event_id: '1' }],
    [{ search: 'x', ids: ['1'] }],
  ] as const)('unified-schema.md 9 cannot list by %j', async (filters) => {
    await expect(marketData.listMarkets(filters, FIRST)).rejects.toMatchObject({ code: 'not_supported' });
    expect(fake.arrived).toEqual([]);
  });

  it.each([
    ['volume_24h', 'volume24hr'],
    ['volume', 'volumeNum'],
    ['liquidity', 'liquidityNum'],
    ['close_time', 'endDate'],
  ] as const)('unified-schema.md 9 sorts by %s upstream', async (by, order) => {
    fake.on(KEYSET, keyset([]));
    await marketData.listMarkets({ status: 'open', sort: { by, descending: true } }, FIRST);
    const [request] = fake.at(KEYSET);
    expect([request?.query.get('order'), request?.query.get('ascending')]).toEqual([order, 'false']);
  });

  it('unified-schema.md 9 resolves a category through its tag', async () => {
    fake.on('GET /gamma/tags/slug/us-politics', () => ({
      body: { id: '77', label: 'US Politics', slug: 'us-politics' },
    }));
    fake.on(KEYSET, keyset([]));
    await marketData.listMarkets({ status: 'open', category: 'US Politics' }, FIRST);
    expect(fake.at(KEYSET)[0]?.query.get('tag_id')).toBe('77');
  });

  it.each(['nowhere', '///'])('unified-schema.md 9 has no markets in the category %s', async (category) => {
    const { value } = await marketData.listMarkets({ status: 'open', category }, FIRST);
    expect(value).toEqual({ items: [], next: null });
    expect(fake.at(KEYSET)).toEqual([]);
  });

  it('unified-schema.md 9 finds ids of all forms among open and closed ones, in order, each once', async () => {
    const closed = named(3, { closed: true });
    fake.on(KEYSET, keyset([named(1), named(2), closed]));
    const ids = ['market-3', `0x${'1'.padStart(64, '0')}`, '2', 'market-1', '999', `0x${'f'.repeat(64)}`];
    const first = await marketData.listMarkets({ ids }, { limit: 2, cursor: null });
    expect(first.value.items.map(({ refs }) => refs.gamma_id)).toEqual(['3', '1']);
    const second = await marketData.listMarkets({ ids }, { limit: 2, cursor: first.value.next });
    expect(second.value.items.map(({ refs }) => refs.gamma_id)).toEqual(['2']);
    expect(second.value.next).toBeNull();
    const settled = await marketData.listMarkets({ ids, status: 'closed' }, FIRST);
    expect(settled.value.items.map(({ refs }) => refs.gamma_id)).toEqual(['3']);
  });

  it('unified-schema.md 9 gives the markets of an event, sorted and cut here', async () => {
    fake.on('GET /gamma/events/30829', () => ({ body: EVENT }));
    const filters = { event_id: '30829', status: 'open', sort: { by: 'volume', descending: false } } as const;
    const { value } = await marketData.listMarkets(filters, { limit: 2, cursor: null });
    const volumes = EVENT.markets.map(({ volumeNum }) => Number(volumeNum)).toSorted((a, b) => a - b);
    expect(value.items.map(({ volume }) => Number(volume))).toEqual(volumes.slice(0, 2));
    expect(value.next).toBe(volumes.length > 2 ? '2' : null);
    expect((await marketData.listMarkets({ event_id: '1' }, FIRST)).value.items).toEqual([]);
  });

  it('unified-schema.md 9 searches by event, flattens the hits and goes on within and after a page', async () => {
    const pages = [
      { events: [{ ...EVENT, markets: [named(1), named(2), named(3)] }], pagination: { hasMore: true } },
      { events: [{ ...EVENT, markets: [named(4, { closed: true }), named(5)] }], pagination: { hasMore: false } },
    ];
    fake.on('GET /gamma/public-search', ({ query }) => ({ body: pages[Number(query.get('page')) - 1] }));
    const seen: unknown[] = [];
    let cursor: string | null = null;
    do {
      const { value } = await marketData.listMarkets({ search: 'a & b', status: 'open' }, { limit: 2, cursor });
      seen.push(value.items.map(({ refs }) => refs.gamma_id));
      cursor = value.next;
    } while (cursor !== null);
    expect(seen).toEqual([['1', '2'], ['3'], ['5']]);
    expect(fake.arrived[0]?.query.get('q')).toBe('a & b');
  });

  it.each(['x', '1:', '-1', '1:2:x'])('unified-schema.md 9 refuses the cursor %s', async (cursor) => {
    fake.on(KEYSET, keyset([]));
    const page = { limit: 2, cursor };
    await expect(marketData.listMarkets({ ids: ['1'] }, page)).rejects.toMatchObject({ code: 'bad_request' });
  });
});

describe('getMarket', () => {
  it('unified-schema.md 1 finds open and closed markets by condition id', async () => {
    fake.on(KEYSET, keyset([named(1), named(2, { closed: true })]));
    for (const number of [1, 2]) {
      const id = `0x${String(number).padStart(64, '0')}`;
      expect((await marketData.getMarket(id.toUpperCase().replace('0X', '0x'))).value.id).toBe(id);
    }
  });

  it('unified-schema.md 1 finds markets by Gamma id and slug', async () => {
    fake.on('GET /gamma/markets/703257', () => ({ body: OPEN }));
    fake.on('GET /gamma/markets/slug/a-slug', () => ({ body: OPEN }));
    expect((await marketData.getMarket('703257')).value.id).toBe(OPEN.conditionId);
    expect((await marketData.getMarket('a-slug')).value.id).toBe(OPEN.conditionId);
  });

  it.each(['1', 'slug', `0x${'1'.repeat(64)}`])('contract.md 3 answers not_found for %s', async (id) => {
    fake.on(KEYSET, keyset([]));
    await expect(marketData.getMarket(id)).rejects.toMatchObject({ code: 'not_found' });
  });

  it.each([
    [500, 'exchange_error'],
    [429, 'exchange_rate_limited'],
    [401, 'exchange_error'],
  ])('R-15 maps a %i of the exchange to %s', async (status, code) => {
    fake.on('GET /gamma/markets/1', () => ({ status, body: { type: 'error', error: 'text' } }));
    await expect(marketData.getMarket('1')).rejects.toMatchObject({ code });
  });

  it('S-50 answers exchange_error to an answer that is no market, and logs places only', async () => {
    fake.on('GET /gamma/markets/1', () => ({ body: { ...OPEN, question: 5 } }));
    const error: unknown = await marketData.getMarket('1').catch((reason: unknown) => reason);
    const places = { message: expect.stringContaining('question') };
    expect(error).toMatchObject({ code: 'exchange_error', cause: { failure: 'unreadable', cause: places } });
  });
});

describe('listEvents', () => {
  const EVENTS = 'GET /gamma/events/keyset';

  it('unified-schema.md 9 passes search, category, series and paging on', async () => {
    fake.on(EVENTS, () => ({ body: { ...sampleObject('gamma-events-keyset'), next_cursor: 'n' } }));
    const filters = { status: 'open', search: 'alien', category: 'World', series_id: '7' } as const;
    const { value } = await marketData.listEvents(filters, { limit: 2, cursor: 'c' });
    expect(value.items.map(({ status }) => status)).toEqual(['open', 'open']);
    expect(value.next).toBe('n');
    expect(Object.fromEntries(fake.at(EVENTS)[0]?.query ?? [])).toEqual({
      limit: '2',
      closed: 'false',
      title_search: 'alien',
      tag_slug: 'world',
      series_id: '7',
      after_cursor: 'c',
    });
  });

  it('unified-schema.md 9 tells closed and settled events apart', async () => {
    const settled = { ...EVENT, id: '8', closed: true, markets: [SETTLED] };
    const closed = { ...EVENT, id: '9', closed: true };
    fake.on(EVENTS, () => ({ body: { events: [settled, closed] } }));
    const ids = async (status: 'closed' | 'settled') =>
      (await marketData.listEvents({ status }, FIRST)).value.items.map(({ id }) => id);
    expect([await ids('settled'), await ids('closed')]).toEqual([['8'], ['9']]);
  });

  it('contract.md 3 answers not_found for an event that is not there', async () => {
    await expect(marketData.getEvent('5')).rejects.toMatchObject({ code: 'not_found' });
    fake.on('GET /gamma/events/slug/some-event', () => ({ body: EVENT }));
    expect((await marketData.getEvent('some-event')).value.id).toBe('30829');
  });
});

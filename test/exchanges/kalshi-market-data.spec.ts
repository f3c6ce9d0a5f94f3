import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { MarketData } from '../../src/exchanges/market-data.contract.js';
import { FakeKalshi, sample, TICKER } from '../support/fake-kalshi.js';

const [MARKET, OTHER] = (sample('markets-list') as { markets: Record<string, unknown>[] }).markets;
const EVENT = sample('event').event as Record<string, unknown>;
const PAGE = { limit: 50, cursor: null };

let fake: FakeKalshi;
let data: MarketData;

beforeEach(async () => {
  fake = await FakeKalshi.start({ MARKET_DATA_CACHE_TTL: '0' });
  data = fake.exchange.marketData;
});

afterEach(() => fake.close());

describe('markets', () => {
  it.each([
    [{ status: 'open' }, 'status=open&mve_filter=exclude&limit=50'],
    [{ status: 'paused', series_id: 'KXHIGHNY' }, 'status=paused&series_ticker=KXHIGHNY&mve_filter=exclude&limit=50'],
    [{ status: 'closed', event_id: 'E-1' }, 'status=closed&event_ticker=E-1&limit=50'],
    [{ status: 'open', ids: ['A', 'B'] }, 'status=open&tickers=A%2CB&limit=50'],
  ] as const)('unified-schema.md 9 lists by %j', async (filters, query) => {
    fake.serve('GET /markets', { markets: [MARKET], cursor: '' });
    const { value, source } = await data.listMarkets(filters, PAGE);
    expect(fake.calls()).toEqual([`GET /markets?${query}`]);
    expect(value).toMatchObject({ items: [{ id: 'KXHIGHNY-26NOV20-T58' }], next: null });
    expect(source).toBe('received');
  });

  it('unified-schema.md 9 passes cursor and limit on, and the cursor back', async () => {
    fake.serve('GET /markets', { markets: [MARKET], cursor: 'next' });
    const { value } = await data.listMarkets({ status: 'open' }, { limit: 1, cursor: 'this' });
    expect(Object.fromEntries(fake.server.arrived[0]?.query ?? [])).toMatchObject({ cursor: 'this', limit: '1' });
    expect(value.next).toBe('next');
  });

  it.each([{ search: 'rain' }, { category: 'Economics' }, { sort: { by: 'volume', descending: true } }] as const)(
    'contract.md 3 %j is not_supported, and the exchange is not called',
    async (filters) => {
      await expect(data.listMarkets({ status: 'open', ...filters }, PAGE)).rejects.toMatchObject({
        code: 'not_supported',
      });
      expect(fake.calls()).toEqual([]);
    },
  );

  it('kalshi.md 8 settled markets go on in the archive, on the same page and on further ones', async () => {
    fake.serve('GET /markets', { markets: [MARKET], cursor: '' });
    fake.on('GET /historical/markets', ({ query }) => ({
      body: query.get('cursor') === 'h1' ? { markets: [], cursor: '' } : { markets: [OTHER], cursor: 'h1' },
    }));
    const first = await data.listMarkets({ status: 'settled' }, { limit: 2, cursor: null });
    expect(first.value.items).toHaveLength(2);
    expect(fake.calls()[1]).toBe(`GET /historical/markets?mve_filter=exclude&limit=1`);
    const second = await data.listMarkets({ status: 'settled' }, { limit: 2, cursor: first.value.next });
    expect(second.value).toEqual({ items: [], next: null });
    expect(fake.calls()[2]).toBe(`GET /historical/markets?mve_filter=exclude&limit=2&cursor=h1`);
  });

  it.each([{ ids: ['M-1', 'M-2'] }, { event_id: 'E-1' }])(
    'unified-schema.md 9 archived markets by %j and series are those of the series',
    async (filters) => {
      const settled = sample('market-settled').market as object;
      const markets = [
        { ...settled, ticker: 'M-1', event_ticker: 'E-1' },
        { ...settled, ticker: 'M-2', event_ticker: 'ids' in filters ? 'E-2' : 'E-1' },
      ];
      fake.serve('GET /markets', { markets: [], cursor: '' });
      fake.serve('GET /historical/markets', { markets, cursor: '' });
      fake.serve('GET /events/E-1', { event: { event_ticker: 'E-1', series_ticker: 'S-1' } });
      fake.serve('GET /events/E-2', { event: { event_ticker: 'E-2', series_ticker: 'S-2' } });
      const listed = async (series_id: string) =>
        (await data.listMarkets({ ...filters, series_id, status: 'settled' }, PAGE)).value.items.map(({ id }) => id);
      expect(await listed('S-1')).toEqual('ids' in filters ? ['M-1'] : ['M-1', 'M-2']);
      expect(await listed('S-2')).toEqual('ids' in filters ? ['M-2'] : []);
    },
  );

  it.each([500, 503])('kalshi.md 8 an archive that answers %d is an error, not a shorter list', async (status) => {
    fake.serve('GET /markets', { markets: [MARKET], cursor: '' });
    fake.serve('GET /markets/trades', { ...sample('trades'), cursor: '' });
    fake.serve('GET /markets/candlesticks', { markets: [] });
    fake.serve(`GET /markets/${TICKER}`, { market: sample('market').market });
    for (const path of ['markets', 'trades', `markets/${TICKER}/candlesticks`]) {
      fake.serve(`GET /historical/${path}`, {}, status);
    }
    const window = { start: new Date('2026-11-20T12:00:00.000Z'), end: new Date('2026-11-20T15:00:00.000Z') };
    const candles = { market_id: TICKER, outcome: '0', interval: '1h', ...window } as const;
    const code = { 500: 'exchange_error', 503: 'exchange_unavailable' }[status];
    const lists = [
      () => data.listMarkets({ status: 'settled' }, PAGE),
      () => data.listTrades({ market_id: TICKER }, PAGE),
      () => data.listCandlesticks(candles),
    ];
    for (const list of lists) await expect(list()).rejects.toMatchObject({ code });
  });

  it('kalshi.md 8 a full page of live markets goes on in the archive, one without an archive ends', async () => {
    fake.serve('GET /markets', { markets: [MARKET], cursor: '' });
    const { value } = await data.listMarkets({ ids: ['A'] }, { limit: 1, cursor: null });
    expect(value.next).not.toBeNull();
    const rest = await data.listMarkets({ ids: ['A'] }, { limit: 1, cursor: value.next });
    expect(rest.value).toEqual({ items: [], next: null });
    expect(fake.calls()[1]).toBe(`GET /historical/markets?tickers=A&limit=1`);
  });

  it('unified-schema.md 2 one market tells what its event and series tell, as they are now (contract.md 2)', async () => {
    fake.serve(`GET /markets/${TICKER}`, { market: sample('market').market });
    fake.serve('GET /events/KXHIGHNY-26NOV20', { event: EVENT, markets: [] });
    fake.serve('GET /series/KXHIGHNY', sample('series'));
    const { value } = await data.getMarket(TICKER);
    expect(value).toMatchObject({
      id: TICKER,
      series_id: 'KXHIGHNY',
      category: 'Climate and Weather',
      tags: ['Daily temperature'],
      mutually_exclusive_group_id: 'KXHIGHNY-26NOV20',
      fees: { type: 'quadratic' },
    });
    fake.serve('GET /events/KXHIGHNY-26NOV20', { event: { ...EVENT, category: 'Weather' }, markets: [] });
    fake.serve('GET /series/KXHIGHNY', { series: { ...(sample('series').series as object), fee_type: 'flat' } });
    expect((await data.getMarket(TICKER)).value).toMatchObject({ category: 'Weather', fees: { type: 'flat' } });
    const calls = [`/markets/${TICKER}`, '/events/KXHIGHNY-26NOV20', '/series/KXHIGHNY'];
    expect(fake.calls()).toEqual([...calls, ...calls].map((path) => `GET ${path}`));
  });

  it('kalshi.md 8 one archived market is found there; an unknown event leaves what it would tell null', async () => {
    const { market } = sample('market-settled') as { market: { ticker: string } };
    fake.serve(`GET /historical/markets/${market.ticker}`, { market });
    const { value } = await data.getMarket(market.ticker);
    expect(value).toMatchObject({ status: 'settled', series_id: null, category: null, tags: [], fees: null });
  });

  it('kalshi.md 4 an answer about another market is none', async () => {
    for (const path of ['markets', 'historical/markets']) {
      fake.serve(`GET /${path}/OTHER-1`, { market: sample('market-settled').market });
    }
    await expect(data.getMarket('OTHER-1')).rejects.toMatchObject({ code: 'exchange_error' });
  });

  const TROUBLES = [
    ['fails', { status: 500 }],
    ['breaks off', 'hangUp'],
    ['hangs', 'hang'],
    ['is unreadable', { body: {} }],
    ['asks for fewer calls', { status: 429 }],
  ] as const;

  it.each(TROUBLES)(
    'unified-schema.md 2 an event that %s leaves what it would tell null, not the market',
    async (_, answer) => {
      fake.serve(`GET /markets/${TICKER}`, { market: sample('market').market });
      fake.on('GET /events/KXHIGHNY-26NOV20', () => answer);
      const { value } = await data.getMarket(TICKER);
      expect(value).toMatchObject({
        id: TICKER,
        series_id: null,
        category: null,
        tags: [],
        fees: null,
        mutually_exclusive_group_id: null,
      });
    },
  );

  it.each(TROUBLES)('unified-schema.md 2 a series that %s leaves only what it would tell out', async (_, answer) => {
    fake.serve(`GET /markets/${TICKER}`, { market: sample('market').market });
    fake.serve('GET /events/KXHIGHNY-26NOV20', { event: EVENT });
    fake.on('GET /series/KXHIGHNY', () => answer);
    const { value } = await data.getMarket(TICKER);
    expect(value).toMatchObject({
      series_id: 'KXHIGHNY',
      category: 'Climate and Weather',
      tags: [],
      fees: null,
      mutually_exclusive_group_id: 'KXHIGHNY-26NOV20',
    });
  });

  it('unified-schema.md 9 archived markets whose event cannot be read are no shorter list, but an error', async () => {
    const settled = { ...(sample('market-settled').market as object), ticker: 'M-1', event_ticker: 'E-1' };
    fake.serve('GET /markets', { markets: [], cursor: '' });
    fake.serve('GET /historical/markets', { markets: [settled], cursor: '' });
    fake.serve('GET /events/E-1', {}, 500);
    const listed = data.listMarkets({ ids: ['M-1'], series_id: 'S-1', status: 'settled' }, PAGE);
    await expect(listed).rejects.toMatchObject({ code: 'exchange_error' });
  });

  it('R-15 an unknown market is not_found, an answer of another shape exchange_error', async () => {
    await expect(data.getMarket('NOPE')).rejects.toMatchObject({ code: 'not_found' });
    fake.serve('GET /markets/BROKEN', { market: { ticker: 'BROKEN' } });
    await expect(data.getMarket('BROKEN')).rejects.toMatchObject({ code: 'exchange_error' });
    fake.serve('GET /markets', {});
    await expect(data.listMarkets({ status: 'open' }, PAGE)).rejects.toMatchObject({ code: 'exchange_error' });
  });

  it('S-49 sends no header but its own, and nothing signed', async () => {
    fake.serve('GET /markets', { markets: [], cursor: '' });
    await data.listMarkets({ status: 'open' }, PAGE);
    const names = Object.keys(fake.server.arrived[0]?.headers ?? {});
    expect(names.sort()).toEqual(['accept', 'accept-encoding', 'connection', 'host', 'user-agent']);
  });
});

describe('events', () => {
  it('unified-schema.md 9 lists by status and series; a category is filtered here', async () => {
    fake.serve('GET /events', sample('events-list'));
    const { value } = await data.listEvents({ status: 'open', series_id: 'S', category: 'economics' }, PAGE);
    expect(fake.calls()).toEqual([`GET /events?limit=50&status=open&series_ticker=S`]);
    expect(value.items.map(({ id }) => id)).toEqual(['KXFEDDECISION-26DEC']);
  });

  it('unified-schema.md 3 without its markets an event has the status that it was listed by', async () => {
    fake.serve('GET /events', { events: [EVENT], cursor: '' });
    const { value } = await data.listEvents({ status: 'closed' }, PAGE);
    expect(value.items[0]).toMatchObject({ status: 'closed', markets: null });
  });

  it.each([{ status: 'paused' }, { search: 'fed' }] as const)(
    'unified-schema.md 9 %j is not_supported',
    async (filters) => {
      await expect(data.listEvents(filters, PAGE)).rejects.toMatchObject({ code: 'not_supported' });
      expect(fake.calls()).toEqual([]);
    },
  );

  it.each(['event', 'event-nested'])('unified-schema.md 3 one event comes with its markets (%s)', async (name) => {
    fake.serve('GET /events/E-1', sample(name));
    const { value } = await data.getEvent('E-1');
    expect(value.markets).toHaveLength(3);
    expect(fake.calls()).toEqual([
      `GET /events/E-1?with_nested_markets=true`,
      `GET /historical/markets?event_ticker=E-1&limit=1000`,
    ]);
  });

  it('kalshi.md 8 an event with live and archived markets shows both, each once, from all pages', async () => {
    const settled = sample('market-settled').market as object;
    const archived = (ticker: string) => ({ ...settled, ticker, event_ticker: 'E-1' });
    const { event } = sample('event-nested') as { event: { markets: { ticker: string }[] } };
    const live = event.markets.map(({ ticker }) => ticker);
    fake.serve('GET /events/E-1', { event });
    fake.on('GET /historical/markets', ({ query }) => ({
      body:
        query.get('cursor') === 'p2'
          ? { markets: [archived('E-1-C')], cursor: '' }
          : { markets: [archived('E-1-B'), archived(live[0] ?? '')], cursor: 'p2' },
    }));
    const { value } = await data.getEvent('E-1');
    expect(value.markets?.map(({ id }) => id)).toEqual([...live, 'E-1-B', 'E-1-C']);
    expect(value.markets?.at(-1)).toMatchObject({ status: 'settled' });
    expect(value.status).toBe('open');
  });

  it('kalshi.md 8 an archive that fails is an error, not an event with fewer markets', async () => {
    fake.serve('GET /events/E-1', sample('event-nested'));
    fake.serve('GET /historical/markets', {}, 500);
    await expect(data.getEvent('E-1')).rejects.toMatchObject({ code: 'exchange_error' });
  });

  it('kalshi.md 8 the markets of an archived event come from the archive', async () => {
    fake.serve('GET /events/E-1', { event: EVENT });
    fake.serve('GET /historical/markets', {
      markets: [{ ...(sample('market-settled').market as object), event_ticker: 'E-1' }],
      cursor: '',
    });
    const { value } = await data.getEvent('E-1');
    expect(fake.calls()[1]).toBe(`GET /historical/markets?event_ticker=E-1&limit=1000`);
    expect(value).toMatchObject({ status: 'settled', markets: [{ status: 'settled' }] });
  });
});

describe('order books', () => {
  it('unified-schema.md 4 reads the book of the outcome named, cut by the exchange', async () => {
    fake.serve(`GET /markets/${TICKER}/orderbook`, sample('orderbook'));
    const { value } = await data.getOrderBook({ market_id: TICKER, outcome: `${TICKER}:no`, depth: 5 });
    expect(fake.calls()).toEqual([`GET /markets/${TICKER}/orderbook?depth=5`]);
    expect(value.outcome.index).toBe(1);
  });

  it('unified-schema.md 1 an outcome that does not exist is 400, and the exchange is not called', async () => {
    const book = data.getOrderBook({ market_id: TICKER, outcome: 'OTHER:yes' });
    await expect(book).rejects.toMatchObject({ code: 'bad_request', details: { fields: [{ field: 'outcome' }] } });
    expect(fake.calls()).toEqual([]);
  });
});

describe('trades', () => {
  const window = { start: new Date('2026-11-20T14:59:26.157Z'), end: new Date('2026-11-20T14:59:43.142Z') };

  it('contract.md 5 start is inclusive and end exclusive to the millisecond, asked for in whole seconds', async () => {
    fake.serve('GET /markets/trades', { ...sample('trades'), cursor: 'more' });
    fake.serve('GET /historical/cutoff', { trades_created_ts: '2026-08-20T00:00:00Z' });
    const { value } = await data.listTrades({ market_id: TICKER, ...window }, PAGE);
    expect(Object.fromEntries(fake.server.arrived.at(-1)?.query ?? [])).toEqual({
      ticker: TICKER,
      min_ts: '1795186766',
      max_ts: '1795186784',
      limit: '50',
    });
    expect(value.items.map(({ timestamp }) => timestamp)).toEqual(['2026-11-20T14:59:26.157Z']);
    expect(value.next).toBe('more');
  });

  it('kalshi.md 8 goes on in the archive unless all asked for is newer', async () => {
    fake.serve('GET /markets/trades', { trades: [], cursor: '' });
    fake.serve('GET /historical/trades', { ...sample('trades'), cursor: '' });
    fake.serve(`GET /markets/${TICKER}`, { market: sample('market').market });
    fake.serve('GET /historical/cutoff', { trades_created_ts: '2026-08-20T00:00:00Z' });
    const all = await data.listTrades({ market_id: TICKER }, PAGE);
    expect(all.value.items.length).toBeGreaterThan(2);
    const recent = await data.listTrades({ market_id: TICKER, start: window.start }, PAGE);
    expect(recent.value).toEqual({ items: [], next: null });
    const old = await data.listTrades({ market_id: TICKER, start: new Date('2026-08-19T00:00:00Z') }, PAGE);
    expect(old.value.items.length).toBeGreaterThan(2);
    fake.serve('GET /historical/cutoff', { trades_created_ts: '2026-11-20T14:59:30Z' });
    const moved = await data.listTrades({ market_id: TICKER, start: window.start }, PAGE);
    expect(moved.value.items).not.toEqual([]);
  });

  it('kalshi.md 8 a page of the archive goes on there, wherever it begins by then', async () => {
    fake.serve('GET /markets/trades', { trades: [], cursor: '' });
    fake.on('GET /historical/trades', ({ query }) => ({
      body: { ...sample('trades'), cursor: query.get('cursor') === 'h1' ? '' : 'h1' },
    }));
    const filters = { market_id: TICKER, start: window.start };
    const first = await data.listTrades(filters, PAGE);
    fake.serve('GET /historical/cutoff', { trades_created_ts: '2026-08-20T00:00:00Z' });
    fake.server.arrived.length = 0;
    const second = await data.listTrades(filters, { ...PAGE, cursor: first.value.next });
    expect([second.value.items.length > 0, second.value.next]).toEqual([true, null]);
    expect(fake.calls().map((target) => target.split('?')[0])).toEqual([`GET /historical/trades`]);
  });

  it('looks in the archive too where the exchange does not tell where it begins', async () => {
    fake.serve('GET /markets/trades', { trades: [], cursor: '' });
    fake.serve('GET /historical/trades', { ...sample('trades'), cursor: '' });
    for (const status of [404, 500]) {
      fake.serve('GET /historical/cutoff', {}, status);
      const { value } = await data.listTrades({ market_id: TICKER, start: window.start }, PAGE);
      expect([status, value.items.length > 2]).toEqual([status, true]);
    }
  });
});

it('a market without trades has none, an unknown one is not_found; that a market exists is asked once', async () => {
  fake.serve('GET /markets/trades', { trades: [], cursor: '' });
  await expect(data.listTrades({ market_id: TICKER }, PAGE)).rejects.toMatchObject({ code: 'not_found' });
  fake.serve(`GET /markets/${TICKER}`, { market: sample('market').market });
  expect((await data.listTrades({ market_id: TICKER }, PAGE)).value).toEqual({ items: [], next: null });
  fake.server.arrived.length = 0;
  await data.listTrades({ market_id: TICKER }, PAGE);
  expect(fake.calls()).toEqual([
    `GET /markets/trades?ticker=${TICKER}&limit=50`,
    `GET /historical/trades?ticker=${TICKER}&limit=50`,
  ]);
});

it('a further page that is empty asks for no market', async () => {
  fake.serve('GET /markets/trades', { trades: [], cursor: '' });
  fake.serve('GET /historical/trades', { trades: [], cursor: '' });
  const last = await data.listTrades({ market_id: 'OTHER-1' }, { limit: 50, cursor: 'p2' });
  expect(last.value).toEqual({ items: [], next: null });
  expect(fake.calls().some((target) => target.includes('/markets/OTHER-1'))).toBe(false);
});

describe('candlesticks', () => {
  const query = {
    market_id: TICKER,
    outcome: '0',
    interval: '1h',
    start: new Date('2026-11-20T12:00:00.000Z'),
    end: new Date('2026-11-20T15:00:00.000Z'),
  } as const;

  it('unified-schema.md 6 asks the batch, oldest first, each once and none outside', async () => {
    const [batch] = (sample('candlesticks-batch') as { markets: { candlesticks: unknown[] }[] }).markets;
    const twice = [...(batch?.candlesticks ?? [])].reverse();
    const early = { ...(twice[0] as object), end_period_ts: 1795176000 };
    fake.serve('GET /markets/candlesticks', {
      markets: [{ market_ticker: TICKER, candlesticks: [...twice, twice[0], early] }],
    });
    const { value } = await data.listCandlesticks(query);
    expect(value.map(({ start }) => start.slice(11, 16))).toEqual(['12:00', '13:00', '14:00']);
    expect(Object.fromEntries(fake.server.arrived[0]?.query ?? [])).toEqual({
      market_tickers: TICKER,
      start_ts: '1795179600',
      end_ts: '1795190399',
      period_interval: '60',
    });
  });

  it('kalshi.md 8 those of an archived market come from the archive', async () => {
    const ohlc = { open: '0.4', high: '0.4', low: '0.4', close: '0.4' };
    const price = { ...ohlc, mean: '0.4', previous: null };
    const candle = {
      end_period_ts: 1795179600,
      yes_bid: ohlc,
      yes_ask: ohlc,
      price,
      volume: '1.00',
      open_interest: '2.00',
    };
    fake.serve('GET /markets/candlesticks', { markets: [] });
    fake.serve(`GET /historical/markets/${TICKER}/candlesticks`, { ticker: TICKER, candlesticks: [candle] });
    const { value } = await data.listCandlesticks({ ...query, outcome: 'no' });
    expect(value).toMatchObject([{ close: '0.6', volume: '1', open_interest: '2' }]);
  });

  it('a quiet market has none, an unknown one is not_found', async () => {
    fake.serve('GET /markets/candlesticks', { markets: [{ market_ticker: TICKER, candlesticks: [] }] });
    await expect(data.listCandlesticks(query)).rejects.toMatchObject({ code: 'not_found' });
    fake.serve(`GET /markets/${TICKER}`, { market: sample('market').market });
    expect((await data.listCandlesticks(query)).value).toEqual([]);
  });
});

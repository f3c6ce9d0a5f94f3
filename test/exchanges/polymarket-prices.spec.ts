import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CREDENTIALS, FakePolymarket, sample, sampleObject } from '../support/fake-polymarket.js';
import type { MarketData } from '../../src/exchanges/market-data.contract.js';

const MARKET = '0x747dc809fb79e1b05be09c42d6179459a58de2ef3e40f02484a4e1260f741f75';
const YES = '107505882767731489358349912513945399560393482969656700824895970500493757150417';
const NO = '7305630249804085635496399869905769372294302716159034447326228509068694952392';
const KEYSET = 'GET /gamma/markets/keyset';
const BOOK = 'GET /clob/book';
const HISTORY = 'GET /clob/prices-history';
const TRADES = 'GET /data/v2/trades';

let fake: FakePolymarket;
let marketData: MarketData;

beforeEach(async () => {
  fake = await FakePolymarket.start();
  fake.on(KEYSET, () => ({ body: { markets: [sample('gamma-market')] } }));
  ({ marketData } = fake.exchange);
});

afterEach(async () => {
  await fake.close();
});

describe('getOrderBook', () => {
  beforeEach(() => {
    fake.on(BOOK, ({ query }) => ({
      body: sample(query.get('token_id') === YES ? 'clob-book' : 'clob-book-no-token'),
    }));
  });

  it('unified-schema.md 4 gives both sides best first, cut to the depth, at the time of the exchange', async () => {
    const { value, at, source } = await marketData.getOrderBook({ market_id: MARKET, outcome: '0', depth: 2 });
    expect(value).toEqual({
      exchange: 'polymarket',
      market_id: MARKET,
      outcome: { id: YES, index: 0, label: 'Yes' },
      bids: [
        { price: '0.084', size: '7838.1' },
        { price: '0.083', size: '1450' },
      ],
      asks: [
        { price: '0.086', size: '3563.48' },
        { price: '0.087', size: '10335.22' },
      ],
      hash: '92719fe0cf8cd51592af31ee8a5736d79f727377',
      tick_size: '0.001',
      min_order_size: '5',
      last_price: '0.085',
    });
    expect([at.toISOString(), source]).toEqual(['2026-11-20T15:00:00.641Z', 'exchange']);
  });

  it('unified-schema.md 4 sorts by value, whatever order the exchange chose, and without empty levels', async () => {
    const levels = [
      { price: '0.09', size: '1' },
      { price: '0.1', size: '2' },
      { price: '0.095', size: '0' },
    ];
    fake.on(BOOK, () => ({ body: { ...sampleObject('clob-book'), bids: levels, asks: levels } }));
    const { value } = await marketData.getOrderBook({ market_id: MARKET, outcome: '0' });
    expect([value.bids.map(({ price }) => price), value.asks.map(({ price }) => price)]).toEqual([
      ['0.1', '0.09'],
      ['0.09', '0.1'],
    ]);
  });

  it('unified-schema.md 4 a side that is null is an empty one', async () => {
    fake.on(BOOK, () => ({ body: { ...sampleObject('clob-book'), bids: null } }));
    const { value } = await marketData.getOrderBook({ market_id: MARKET, outcome: '0', depth: 1 });
    expect([value.bids, value.asks]).toEqual([[], [{ price: '0.086', size: '3563.48' }]]);
  });

  it.each(['bids', 'asks'])(
    'unified-schema.md 4 a book without its %s is unreadable, not empty on that side',
    async (side) => {
      fake.on(BOOK, () => ({ body: { ...sampleObject('clob-book'), [side]: undefined } }));
      const read = marketData.getOrderBook({ market_id: MARKET, outcome: '0' });
      await expect(read).rejects.toMatchObject({ code: 'exchange_error' });
    },
  );

  it.each(['1', 'no', 'NO', NO])(
    'unified-schema.md 1 gives outcome 1 for %s, with the last price of that side',
    async (name) => {
      const { value } = await marketData.getOrderBook({ market_id: MARKET, outcome: name });
      expect(value).toMatchObject({ outcome: { id: NO, index: 1, label: 'No' }, last_price: '0.915' });
    },
  );

  it('unified-schema.md 1 takes digits for a position and words for a label first', async () => {
    const odd = { ...sampleObject('gamma-market'), outcomes: '["No","0"]' };
    fake.on(KEYSET, () => ({ body: { markets: [odd] } }));
    const index = async (outcome: string) =>
      (await marketData.getOrderBook({ market_id: MARKET, outcome })).value.outcome.index;
    expect([await index('0'), await index('no'), await index('yes'), await index('1')]).toEqual([0, 0, 0, 1]);
  });

  it('unified-schema.md 1 takes words for a label first, whatever space it has around', async () => {
    const odd = { ...sampleObject('gamma-market'), outcomes: '[" NO ","Yes\\t"]' };
    fake.on(KEYSET, () => ({ body: { markets: [odd] } }));
    const index = async (outcome: string) =>
      (await marketData.getOrderBook({ market_id: MARKET, outcome })).value.outcome.index;
    expect([await index('no'), await index('yes'), await index(' Yes'), await index('NO')]).toEqual([0, 1, 1, 0]);
  });

  it.each(['Up', 'Yes', 'No'])('unified-schema.md 1 refuses a label that both outcomes have: %s', async (outcome) => {
    const odd = { ...sampleObject('gamma-market'), outcomes: JSON.stringify([outcome, outcome.toLowerCase()]) };
    fake.on(KEYSET, () => ({ body: { markets: [odd] } }));
    const refused = { code: 'bad_request', details: { fields: [{ field: 'outcome' }] } };
    await expect(marketData.getOrderBook({ market_id: MARKET, outcome })).rejects.toMatchObject(refused);
  });

  it.each(['2', 'maybe', '', 'constructor', '__proto__', '-1'])(
    'unified-schema.md 1 refuses the outcome %j',
    async (outcome) => {
      await expect(marketData.getOrderBook({ market_id: MARKET, outcome })).rejects.toMatchObject({
        code: 'bad_request',
        details: { fields: [{ field: 'outcome' }] },
      });
      expect(fake.at(BOOK)).toEqual([]);
    },
  );

  it('unified-schema.md 7 asks for the facts of a market once', async () => {
    await marketData.getOrderBook({ market_id: MARKET, outcome: '0' });
    await marketData.getOrderBook({ market_id: '703257', outcome: '1' });
    expect(fake.at(KEYSET)).toHaveLength(1);
  });

  it('contract.md 3 answers not_found where there is no book', async () => {
    fake.on(BOOK, () => ({ status: 404, body: { error: 'No orderbook exists for the requested token id' } }));
    const book = marketData.getOrderBook({ market_id: MARKET, outcome: '0' });
    await expect(book).rejects.toMatchObject({ code: 'not_found' });
  });

  it('S-50 answers exchange_error to the book of another token', async () => {
    fake.on(BOOK, () => ({ body: sample('clob-book-no-token') }));
    const book = marketData.getOrderBook({ market_id: MARKET, outcome: '0' });
    await expect(book).rejects.toMatchObject({ code: 'exchange_error' });
  });
});

describe('listTrades', () => {
  const raw = sampleObject('data-v2-trades') as { data: Record<string, unknown>[] };
  const [first = {}] = raw.data;
  const trade = (timestamp: number): Record<string, unknown> & { timestamp: number } => ({ ...first, timestamp });

  const page = (rows: readonly object[], next: string | null = null) => ({
    body: { data: rows, pagination: { limit: 100, offset: 0, has_more: next !== null, next_cursor: next } },
  });

  /** Serves trades as there: the first page sizes all, a cursor holds place and size, and time is not filtered by. */
  function serve(times: readonly number[], arriving: number[] = []): void {
    fake.on(TRADES, ({ query }) => {
      const [place, kept] = (query.get('cursor') ?? '').split('.');
      const size = Number(kept ?? query.get('limit'));
      const all = place === '' ? [...arriving, ...times] : times.filter((time) => time < Number(place));
      if (place === '') arriving.unshift((arriving[0] ?? times[0] ?? 0) + 1);
      const rows = all.slice(0, size);
      const next = all.length > size ? `${rows.at(-1) ?? 0}.${size}` : null;
      return page(rows.map(trade), next);
    });
  }

  async function readAll(filters: { start?: Date; end?: Date } = {}, limit = 4): Promise<number[][]> {
    const pages: number[][] = [];
    let cursor: string | null = null;
    do {
      const { value } = await marketData.listTrades({ market_id: MARKET, ...filters }, { limit, cursor });
      pages.push(value.items.map(({ timestamp }) => Date.parse(timestamp) / 1_000));
      cursor = value.next;
    } while (cursor !== null);
    return pages;
  }

  // The id is `sha256sum` of `transaction_hash|token_id|proxy_wallet|side|size|price`, cut to 32 digits.
  it('unified-schema.md 5 maps trades, numbers them by digest and shows no wallet', async () => {
    fake.on(TRADES, () =>
      page([{ ...first, proxy_wallet: String(first.proxy_wallet).toUpperCase().replace('0X', '0x') }]),
    );
    const { value } = await marketData.listTrades({ market_id: MARKET }, { limit: 50, cursor: null });
    expect(value.items[0]).toEqual({
      exchange: 'polymarket',
      id: '7de99b989a6604ed0e96e9bd78ec62de',
      market_id: MARKET,
      outcome: { id: YES, index: 0, label: 'Yes' },
      side: 'buy',
      price: '0.083',
      size: '25',
      notional: '2.075',
      timestamp: '2026-11-20T15:00:00.000Z',
      taker_side: 'buy',
      is_block_trade: null,
      transaction_hash: first.transaction_hash,
    });
    expect(JSON.stringify(value).toLowerCase()).not.toContain(String(first.proxy_wallet));
    expect(value.next).toBeNull();
  });

  it('polymarket.md 6.1 sends every filter again with each cursor', async () => {
    serve([30, 20, 10].map((second) => 1_790_000_000 + second));
    await readAll({}, 2);
    const filters = { condition: MARKET, taker_only: 'true', limit: '2' };
    const asked = fake.at(TRADES).map(({ query }) => Object.fromEntries(query));
    expect(asked).toEqual([filters, { ...filters, cursor: '1790000020.2' }]);
  });

  it('polymarket.md 6.2 pages through all trades once, while new ones arrive', async () => {
    const times = Array.from({ length: 23 }, (_, i) => 1_790_000_000 - i);
    serve(times);
    const pages = await readAll();
    expect(pages.flat()).toEqual(times);
    expect(pages.map(({ length }) => length)).toEqual([4, 4, 4, 4, 4, 3]);
  });

  const base = 1_790_000_000;
  const at = (second: number, ms = 0): Date => new Date((base + second) * 1_000 + ms);

  it('unified-schema.md 5 filters by a half-open time here, and stops where trades are older', async () => {
    const times = Array.from({ length: 3_500 }, (_, i) => base + 3_500 - i);
    serve(times);
    const wanted = times.filter((time) => time >= base + 2_000 && time < base + 2_010);
    expect((await readAll({ start: at(2_000), end: at(2_010) })).flat()).toEqual(wanted);
    expect((await readAll({ start: at(1_999, 1), end: at(2_009, 1) })).flat()).toEqual(wanted);
    const before = fake.at(TRADES).length;
    const newest = (await readAll({ start: at(3_490) }, 5)).flat();
    expect(newest.filter((time) => time <= base + 3_500)).toEqual(times.slice(0, 11));
    expect(fake.at(TRADES).length - before).toBeLessThanOrEqual(4);
    const asked = fake.at(TRADES).flatMap(({ query }) => [query.has('start'), query.has('end')]);
    expect(asked).not.toContain(true);
  });

  it('polymarket.md 6.2 skips at most five pages that are too young in one answer', async () => {
    const times = Array.from({ length: 8_000 }, (_, i) => base + 8_000 - i);
    serve(times);
    const pages = await readAll({ end: at(100) }, 50);
    expect(pages.flat()).toEqual(times.slice(-99));
    expect(pages[0]).toEqual([]);
    expect(fake.at(TRADES)[0]?.query.get('limit')).toBe('1000');
  });

  it('polymarket.md 6.2 leaves out combinations and trades of other markets', async () => {
    const { data } = sampleObject('data-v2-trades-v2-market') as { data: object[] };
    fake.on(TRADES, () => page([...data, first]));
    const { value } = await marketData.listTrades({ market_id: MARKET }, { limit: 50, cursor: null });
    expect(value.items.map(({ outcome }) => outcome.id)).toEqual([YES]);
  });

  it.each([
    ['a route that is gone', 404, 'exchange_error'],
    ['an edge that refuses without JSON', 429, 'exchange_rate_limited'],
  ])('polymarket.md 6.1 falls back to nothing after %s', async (_name, status, code) => {
    fake.on(TRADES, () => ({ status, body: 'error code: 1015' }));
    const trades = marketData.listTrades({ market_id: MARKET }, { limit: 50, cursor: null });
    await expect(trades).rejects.toMatchObject({ code });
    expect(fake.arrived.filter(({ path }) => path.startsWith('/data'))).toHaveLength(1);
  });

  it('contract.md 5.2 makes at most 20 calls a second of the Data API, for all users', async () => {
    await fake.close();
    fake = await FakePolymarket.start({ UPSTREAM_TIMEOUT: '20s' });
    const arrived: number[] = [];
    fake.on('GET /data/v2/value', () => {
      arrived.push(performance.now());
      return { body: sample('data-v2-value') };
    });
    fake.on('GET /clob/balance-allowance', () => ({ body: sample('clob-balance-allowance') }));
    fake.on('GET /clob/data/orders', () => ({ body: { data: [], next_cursor: 'LTE=' } }));
    const wallets = Array.from({ length: 45 }, (_, i) => `0x${String(i).padStart(40, '0')}`);
    await Promise.all(wallets.map((wallet_address) => fake.trading({ ...CREDENTIALS, wallet_address }).getBalance()));
    // What leaves evenly may arrive in bunches here, so the whole is measured: 20 at once, the others 20 a second.
    expect((arrived.at(-1) ?? 0) - (arrived[0] ?? 0)).toBeGreaterThan(((arrived.length - 20) / 20) * 1_000);
    expect(arrived.length).toBeGreaterThan(20);
  });
});

describe('listCandlesticks', () => {
  const HOUR = 3_600;
  const start = Math.floor(Date.now() / 1_000 / HOUR) * HOUR - 4 * HOUR;
  const range = { market_id: MARKET, outcome: '1', interval: '1h' } as const;
  const date = (second: number) => new Date(second * 1_000);

  it('unified-schema.md 6 makes candles of points: one point is a close only, none is no candle', async () => {
    const points = [
      { t: start - 1, p: 0.1 },
      { t: start, p: 0.5 },
      { t: start + 60, p: 0.7 },
      { t: start + 120, p: 0.4 },
      { t: start + 120, p: 0.4 },
      { t: start + HOUR + 5, p: 0.45 },
      { t: start + 3 * HOUR, p: 0.9 },
    ];
    fake.on(HISTORY, () => ({ body: { history: points.toReversed() } }));
    const query = { ...range, start: date(start), end: date(start + 3 * HOUR) };
    const { value } = await marketData.listCandlesticks(query);
    expect(value).toEqual([
      expect.objectContaining({
        market_id: MARKET,
        outcome: { id: NO, index: 1, label: 'No' },
        interval: '1h',
        start: date(start).toISOString(),
        end: date(start + HOUR).toISOString(),
        open: '0.5',
        high: '0.7',
        low: '0.4',
        close: '0.4',
        previous_close: null,
        source: 'price_points',
        samples: 3,
        volume: null,
        bid: null,
        trade_count: null,
      }),
      expect.objectContaining({
        start: date(start + HOUR).toISOString(),
        open: null,
        high: null,
        low: null,
        close: '0.45',
        previous_close: '0.4',
        samples: 1,
      }),
    ]);
    expect(fake.at(HISTORY)[0]?.query.get('market')).toBe(NO);
  });

  it('unified-schema.md 6 takes candles by their start, the running one too', async () => {
    const now = Math.floor(Date.now() / 1_000);
    fake.on(HISTORY, () => ({ body: { history: [start, start + HOUR, now].map((t) => ({ t, p: 0.5 })) } }));
    const query = { ...range, start: date(start + 1), end: date(now + HOUR) };
    const { value } = await marketData.listCandlesticks(query);
    const running = Math.floor(now / HOUR) * HOUR;
    expect(value.map((candle) => candle.start)).toEqual([start + HOUR, running].map((t) => date(t).toISOString()));
  });

  it.each([
    ['1m', 10, ['1']],
    ['1h', 10, ['5']],
    ['1h', 70, ['5', '30']],
    ['1d', 80, ['30']],
    ['1d', 100, ['30', '180']],
  ] as const)(
    'unified-schema.md 6 asks for %s candles of the last %i days by fidelity %j',
    async (interval, days, wanted) => {
      const now = Math.floor(Date.now() / 1_000);
      fake.on(HISTORY, () => ({ body: { history: [{ t: now, p: 0.5 }] } }));
      await marketData.listCandlesticks({ ...range, interval, start: date(now - days * 86_400), end: date(now) });
      const calls = fake.at(HISTORY).map(({ query }) => query);
      expect(
        [...new Set(calls.map((query) => query.get('fidelity') ?? ''))].toSorted((a, b) => Number(a) - Number(b)),
      ).toEqual(wanted);
      const spans = calls.map((query) => Number(query.get('endTs')) - Number(query.get('startTs')));
      expect(Math.max(...spans)).toBeLessThanOrEqual(15 * 86_400);
    },
  );

  it('polymarket.md 5 asks once more, for coarse points, where a market has none', async () => {
    fake.on(HISTORY, ({ query }) => ({
      body: { history: query.get('interval') === 'max' ? [{ t: start + HOUR, p: 1 }] : [] },
    }));
    const query = { ...range, start: date(start), end: date(start + 3 * HOUR) };
    const { value } = await marketData.listCandlesticks(query);
    expect(value).toMatchObject([{ close: '1', samples: 1 }]);
    expect(fake.at(HISTORY).at(-1)?.query.get('fidelity')).toBe('720');
  });

  it('a history that is null is an empty one', async () => {
    fake.on(HISTORY, () => ({ body: { history: null } }));
    const query = { ...range, start: date(start), end: date(start + HOUR) };
    expect((await marketData.listCandlesticks(query)).value).toEqual([]);
  });

  it('unified-schema.md 6 has no candles in the future and asks for none', async () => {
    const later = Math.floor(Date.now() / 1_000) + 10 * HOUR;
    const query = { ...range, start: date(later), end: date(later + HOUR) };
    expect((await marketData.listCandlesticks(query)).value).toEqual([]);
    expect(fake.at(HISTORY)).toEqual([]);
  });
});

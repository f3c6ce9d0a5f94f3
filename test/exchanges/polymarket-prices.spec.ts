import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakePolymarket, sample, sampleObject } from '../support/fake-polymarket.js';
import type { MarketData, Paging } from '../../src/exchanges/exchange.js';

const MARKET = '0x747dc809fb79e1b05be09c42d6179459a58de2ef3e40f02484a4e1260f741f75';
const YES = '107505882767731489358349912513945399560393482969656700824895970500493757150417';
const NO = '7305630249804085635496399869905769372294302716159034447326228509068694952392';
const KEYSET = 'GET /gamma/markets/keyset';
const BOOK = 'GET /clob/book';
const HISTORY = 'GET /clob/prices-history';
const TRADES = 'GET /data/trades';

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
  const raw = sample('data-trades') as Record<string, unknown>[];

  // The id is `sha256sum` of `transactionHash|asset|wallet|side|size|price`, cut to 32 digits.
  it('unified-schema.md 5 maps trades, numbers them by digest and shows no wallet', async () => {
    fake.on(TRADES, () => ({ body: raw }));
    const { value } = await marketData.listTrades({ market_id: MARKET }, { limit: 50, cursor: null });
    const [first = {}] = raw;
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
      transaction_hash: first.transactionHash,
    });
    expect(JSON.stringify(value)).not.toContain(String(first.proxyWallet));
    expect(value.next).toBeNull();
  });

  it('unified-schema.md 5 asks for whole seconds of a half-open time', async () => {
    fake.on(TRADES, () => ({ body: [] }));
    const start = new Date('2026-11-20T15:00:00.001Z');
    const end = new Date('2026-11-20T16:00:00.000Z');
    await marketData.listTrades({ market_id: MARKET, start, end }, { limit: 5, cursor: null });
    expect(Object.fromEntries(fake.at(TRADES)[0]?.query ?? [])).toEqual({
      market: MARKET,
      limit: '5',
      offset: '0',
      start: String(start.getTime() / 1_000 + 0.999),
      end: String(end.getTime() / 1_000 - 1),
    });
  });

  it('polymarket.md 6 pages through all trades once, while new ones arrive', async () => {
    const times = Array.from({ length: 23 }, (_, i) => 1_000 - Math.floor(i / 3));
    const arriving: number[] = [];
    fake.on(TRADES, ({ query }) => {
      const upTo = [...arriving, ...times].filter((time) => time <= Number(query.get('end') ?? Infinity));
      const offset = Number(query.get('offset'));
      arriving.unshift(1_001 + arriving.length);
      return { body: upTo.slice(offset, offset + Number(query.get('limit'))).map(trade) };
    });
    expect(await readAll({ limit: 4, cursor: null })).toEqual(times);
  });

  it('polymarket.md 6 starts a new window before the deepest offset', async () => {
    fake.on(TRADES, ({ query }) => {
      const offset = Number(query.get('offset'));
      const until = Number(query.get('end') ?? 2_000_000_000);
      return { body: Array.from({ length: Number(query.get('limit')) }, (_, i) => trade(until - offset - i)) };
    });
    const page = { limit: 100, cursor: '9850:1999990000' };
    const { value } = await marketData.listTrades({ market_id: MARKET }, page);
    expect(value.next).toBe('1:1999980051');
  });

  function trade(timestamp: number): Record<string, unknown> & { timestamp: number } {
    return { ...raw[0], timestamp };
  }

  async function readAll(first: Paging): Promise<number[]> {
    const times: number[] = [];
    let { cursor } = first;
    do {
      const { value } = await marketData.listTrades({ market_id: MARKET }, { ...first, cursor });
      times.push(...value.items.map(({ timestamp }) => Date.parse(timestamp) / 1_000));
      cursor = value.next;
    } while (cursor !== null);
    return times;
  }
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

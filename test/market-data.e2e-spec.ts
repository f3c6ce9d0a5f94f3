import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { KalshiTrader } from '../sandbox/kalshi/trader.js';
import { PolymarketTrader as Wallet } from '../sandbox/polymarket/trader.js';
import { EXCHANGE, EXCHANGES, otherThan } from './support/exchanges.js';
import { LANES } from './support/lane-stand.js';
import { aTrader, startTestStand, type TestStand, type Trader } from './support/sandbox.js';

interface Item {
  readonly id: string;
  readonly status: string;
  readonly event_id: string | null;
  readonly category: string | null;
  readonly title: string;
  readonly timestamp: string;
  readonly volume: string | null;
  readonly market_id: string;
  readonly outcome: { readonly id: string };
  readonly start: string;
}

interface List {
  readonly data: Item[];
  readonly next_cursor: string | null;
}

const idOf = ({ id, market_id, outcome }: Partial<Item>): string => id ?? `${market_id ?? ''} ${outcome?.id ?? ''}`;

describe('lists, filters and sharing of market data (contract.md 5, unified-schema.md 9)', () => {
  let stand: TestStand;
  let trader: Trader;

  beforeAll(async () => {
    stand = await startTestStand();
    trader = await aTrader(stand);
  });

  afterAll(() => stand.close());

  const get = (path: string, key = trader.key, headers: Record<string, string> = {}): Promise<Response> =>
    request(stand.app.url)
      .get(path)
      .auth(key, { type: 'bearer' })
      .set(headers)
      .then((answer) => answer);

  const read = async (path: string): Promise<List> => {
    const answer = await get(path);
    expect([path, answer.status, answer.status === 200 ? '' : answer.text]).toEqual([path, 200, '']);
    return answer.body as List;
  };

  const withCursor = (path: string, cursor: string): string =>
    `${path}${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`;

  /** All pages; a walk that does not end fails. */
  const walk = async (path: string): Promise<{ items: Item[]; pages: number; cursors: string[] }> => {
    const items: Item[] = [];
    const cursors: string[] = [];
    let next: string | null = null;
    do {
      const page: List = await read(next === null ? path : withCursor(path, next));
      items.push(...page.data);
      next = page.next_cursor;
      if (next !== null) cursors.push(next);
      expect(cursors.length).toBeLessThan(100);
    } while (next !== null);
    return { items, pages: cursors.length + 1, cursors };
  };

  /** Resting orders, fills and positions to list. */
  const fillBooks = async (): Promise<void> => {
    const { kalshi, polymarket } = stand.sandbox.addresses;
    const own = new KalshiTrader(kalshi);
    for (const price of ['0.0100', '0.0200', '0.0300']) await own.order({ price });
    for (const ticker of [EXCHANGE.kalshi.market, 'KXHIGHNY-TODAY-T58', 'KXHIGHNY-TODAY-B53.5']) {
      await own.order({ ticker, price: '0.9900', count: '1.00', time_in_force: 'immediate_or_cancel' });
    }
    const wallet = new Wallet(polymarket.clob_url, polymarket);
    const markets = await read('/polymarket/markets?limit=100');
    const traded = (markets.data as unknown as TradedMarket[]).filter(({ outcomes }) => outcomes[0]?.ask).slice(0, 3);
    for (const { outcomes, refs } of traded) {
      const terms = {
        tokenId: outcomes[0]?.id ?? '',
        side: 'BUY',
        size: '5',
        negRisk: refs.neg_risk === true,
      } as const;
      await wallet.post(wallet.sign({ ...terms, price: '0.99' }), { orderType: 'FAK' });
      await wallet.post(wallet.sign({ ...terms, price: '0.01' }));
    }
  };

  interface TradedMarket {
    readonly outcomes: readonly { readonly id: string; readonly ask: string | null }[];
    readonly refs: { readonly neg_risk?: boolean };
  }

  describe.each(EXCHANGES)('%s', (exchange) => {
    beforeAll(fillBooks);

    const { event, market, ownLists, unknownMarket } = EXCHANGE[exchange];
    const lists: [string, string][] = [
      ['markets', `/${exchange}/markets`],
      ['settled markets', `/${exchange}/markets?status=settled`],
      ['markets of an event', `/${exchange}/markets?event_id=${event}`],
      ['events', `/${exchange}/events`],
      ['trades', `/${exchange}/trades?market_id=${market}`],
      ['orders', `/${exchange}/orders`],
      ['fills', `/${exchange}/fills`],
      ['positions', `/${exchange}/positions`],
      ...ownLists,
    ];
    const sized = (path: string, limit: number): string => `${path}${path.includes('?') ? '&' : '?'}limit=${limit}`;

    it.each(lists)('contract.md 5 the pages of %s end, and hold each once, as one long page does', async (_, path) => {
      const whole = await walk(sized(path, 100));
      const small = await walk(sized(path, path.includes('trades') ? 17 : 2));
      expect(whole.items.length).toBeGreaterThan(2);
      expect(small.pages).toBeGreaterThan(1);
      expect(small.items.map(idOf)).toEqual(whole.items.map(idOf));
      expect(new Set(small.items.map(idOf)).size).toBe(small.items.length);
      expect(new Set(small.cursors).size).toBe(small.cursors.length);
    });

    it.each(lists)('unified-schema.md 9 a cursor of %s is refused anywhere else', async (name, path) => {
      const { next_cursor: cursor } = await read(sized(path, 2));
      expect(cursor).toEqual(expect.any(String));
      const other = EXCHANGE[otherThan(exchange)];
      const places = [
        `/${exchange}/${name === 'events' ? 'markets' : 'events'}`,
        `/${other.id}${path
          .slice(exchange.length + 1)
          .replace(market, other.market)
          .replace(event, other.event)}`,
        ...(name === 'events' ? [`${path}?status=settled`] : [`/${exchange}/markets?status=closed`]),
        ...(/^(orders|fills|positions)$/.test(name) ? [`${path}?market_id=${market}`] : []),
      ].filter((place) => place !== '/kalshi/markets?search=bitcoin' && place !== '/polymarket/orders?status=closed');
      for (const place of places) {
        const answer = await get(withCursor(place, cursor ?? ''));
        expect([place, answer.status]).toEqual([place, 400]);
        expect(answer.body).toMatchObject({
          error: { code: 'bad_request', retryable: false, details: { fields: [{ field: 'cursor' }] } },
        });
      }
      const changed = `${cursor?.slice(0, -3) ?? ''}AAA`;
      expect((await get(withCursor(sized(path, 2), changed))).status).toBe(400);
      expect((await get(withCursor(sized(path, 3), cursor ?? ''))).status).toBe(200);
    });

    it.each(['orders', 'fills', 'positions'])(
      'S-32, contract.md 5 a cursor of %s is bound to its user',
      async (name) => {
        const { next_cursor: cursor } = await read(`/${exchange}/${name}?limit=1`);
        const stranger = await aTrader(stand);
        expect((await get(withCursor(`/${exchange}/${name}?limit=1`, cursor ?? ''), stranger.key)).status).toBe(400);
      },
    );

    it('contract.md 5 a cursor of public data is not bound to a user', async () => {
      const { next_cursor: cursor } = await read(`/${exchange}/markets?limit=2`);
      const stranger = await aTrader(stand);
      expect((await get(withCursor(`/${exchange}/markets?limit=2`, cursor ?? ''), stranger.key)).status).toBe(200);
    });

    it('unified-schema.md 9 filters by ids: of any status, unknown ones left out', async () => {
      const settled = (await read(`/${exchange}/markets?status=settled`)).data[0]?.id ?? '';
      const open = (await read(`/${exchange}/markets`)).data.slice(0, 2).map(({ id }) => id);
      const { items } = await walk(`/${exchange}/markets?ids=${[...open, settled, unknownMarket].join(',')}`);
      expect(items.map(({ id }) => id).sort()).toEqual([...open, settled].sort());
      const { items: only } = await walk(`/${exchange}/markets?status=settled&ids=${[...open, settled].join(',')}`);
      expect(only.map(({ id }) => id)).toEqual([settled]);
      const tooMany = Array.from({ length: 51 }, () => settled).join(',');
      expect((await get(`/${exchange}/markets?ids=${tooMany}`)).status).toBe(400);
    });

    it('unified-schema.md 9 filters markets by event', async () => {
      const { data } = await read(`/${exchange}/markets?event_id=${event}`);
      expect(data.length).toBeGreaterThan(1);
      expect(new Set(data.map(({ event_id }) => event_id))).toEqual(new Set([event]));
    });

    it('unified-schema.md 9 filters events by category, and finds nothing in one that there is not', async () => {
      const all = (await read(`/${exchange}/events`)).data;
      const category = all[1]?.category ?? '';
      const { items } = await walk(`/${exchange}/events?category=${encodeURIComponent(category)}`);
      expect(items.length).toBeGreaterThan(0);
      expect(items.map(({ id }) => id)).toContain(all[1]?.id);
      expect((await walk(`/${exchange}/events?category=Nonsense`)).items).toEqual([]);
    });

    it('contract.md 5 trades from start on and before end', async () => {
      const { items } = await walk(`/${exchange}/trades?market_id=${market}&limit=100`);
      const [newest, middle, oldest] = [items[3], items[10], items[20]].map((trade) => trade?.timestamp ?? '');
      const window = `market_id=${market}&start=${oldest}&end=${newest}&limit=7`;
      const inside = (await walk(`/${exchange}/trades?${window}`)).items.map(({ id }) => id);
      expect(inside).toContain(items.find(({ timestamp }) => timestamp === middle)?.id);
      expect(inside).toContain(items.find(({ timestamp }) => timestamp === oldest)?.id);
      expect(inside).not.toContain(items[0]?.id);
      expect(inside).not.toContain(items[3]?.id);
      expect(inside).not.toContain(items.at(-1)?.id);
    });

    it.each(['trades', 'fills', 'candlesticks'])(
      'contract.md 5 %s of a time that ends before it begins are 400',
      async (name) => {
        const path = `/${exchange}/${name}?market_id=${market}`;
        for (const [start, end] of [
          ['2026-11-20T15:00:00Z', '2026-11-20T14:59:59.999Z'],
          ['2026-11-20T15:00:00Z', '2026-11-20T15:00:00Z'],
          ['2026-11-20T15:00:00Z', '2026-11-20T15:30:00+01:00'],
        ] as const) {
          const answer = await get(`${path}&start=${start}&end=${encodeURIComponent(end)}`);
          expect([answer.status, answer.body]).toMatchObject([
            400,
            { error: { code: 'bad_request', details: { fields: [{ field: 'start' }] } } },
          ]);
        }
      },
    );

    it.each(['2026-02-29T00:00:00Z', '2026-04-31T00:00:00Z', '2026-11-20T25:00:00Z', '2026-11-20'])(
      'contract.md 3 the time %s, which there is not, is 400',
      async (start) => {
        for (const name of ['trades', 'fills', 'candlesticks']) {
          const answer = await get(`/${exchange}/${name}?market_id=${market}&start=${start}`);
          expect([name, answer.status, answer.body]).toMatchObject([
            name,
            400,
            { error: { code: 'bad_request', details: { fields: [{ field: 'start' }] } } },
          ]);
        }
      },
    );

    it('unified-schema.md 6 candles that start from start on and before end, each interval, none beyond 5,000', async () => {
      for (const [interval, seconds] of [
        ['1m', 60],
        ['1h', 3_600],
        ['1d', 86_400],
      ] as const) {
        const end = Math.floor(Date.now() / 1_000 / seconds) * seconds * 1_000;
        const start = end - 5 * seconds * 1_000;
        const query = `interval=${interval}&start=${new Date(start).toISOString()}&end=${new Date(end).toISOString()}`;
        const { data } = await read(`/${exchange}/candlesticks?market_id=${market}&${query}`);
        const starts = data.map((candle) => Date.parse(candle.start));
        expect(starts.every((at) => at >= start && at < end && at % (seconds * 1_000) === 0)).toBe(true);
        expect(starts).toEqual([...new Set(starts)].sort((a, b) => a - b));
        const long = new Date(end - 5_001 * seconds * 1_000).toISOString();
        const path = `/${exchange}/candlesticks?market_id=${market}&interval=${interval}`;
        expect((await get(`${path}&start=${long}&end=${new Date(end).toISOString()}`)).status).toBe(400);
      }
    });

    it.each(['orderbooks', 'trades', 'candlesticks'])(
      'contract.md 5 market_id is required for %s, and an unknown one is 404',
      async (path) => {
        const without = await get(`/${exchange}/${path}`);
        expect(without.status).toBe(400);
        expect(without.body).toMatchObject({ error: { details: { fields: [{ field: 'market_id' }] } } });
        expect((await get(`/${exchange}/${path}?market_id=${unknownMarket}`)).status).toBe(404);
        expect((await get(`/${exchange}/${path}?market_id=..%2Fx`)).status).toBe(400);
      },
    );

    it.each(['2', 'maybe', 'x:yes'])('unified-schema.md 1 an outcome %s is 400', async (outcome) => {
      for (const path of ['orderbooks', 'candlesticks']) {
        const answer = await get(`/${exchange}/${path}?market_id=${market}&outcome=${outcome}`);
        expect(answer.status).toBe(400);
        expect(answer.body).toMatchObject({ error: { details: { fields: [{ field: 'outcome' }] } } });
      }
    });
  });

  it.each([
    '/kalshi/markets?search=fed',
    '/kalshi/markets?category=Economics',
    '/kalshi/markets?sort=volume',
    '/kalshi/events?search=fed',
    '/kalshi/events?status=paused',
    '/polymarket/markets?status=unopened',
    '/polymarket/markets?status=paused',
    '/polymarket/markets?series_id=10001',
    '/polymarket/events?status=paused',
    '/polymarket/orders?status=closed',
  ])('unified-schema.md 9 %s is 422 not_supported, and the exchange is not asked', async (path) => {
    const before = stand.sandbox.log.list().length;
    const answer = await get(path);
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ error: { code: 'not_supported', retryable: false } });
    expect(stand.sandbox.log.list()).toHaveLength(before);
  });

  it.each(['volume', '-volume', 'volume_24h', '-liquidity', 'close_time', '-close_time'])(
    'unified-schema.md 9 Polymarket sorts by %s over all pages',
    async (sort) => {
      const { items } = await walk(`/polymarket/markets?sort=${sort}&limit=4`);
      const field = sort.replace('-', '') as 'volume';
      const values = items.map((item) =>
        field.endsWith('time') ? Date.parse(String(item[field])) : Number(item[field]),
      );
      const rising = [...values].sort((a, b) => a - b);
      expect(values).toEqual(sort.startsWith('-') ? rising.reverse() : rising);
    },
  );

  it('unified-schema.md 9 Polymarket finds events and markets by words', async () => {
    for (const path of ['/polymarket/events?search=bitcoin', '/polymarket/markets?search=bitcoin']) {
      const { items } = await walk(path);
      expect(items.length).toBeGreaterThan(0);
      expect(items.every(({ title }) => /bitcoin/i.test(title))).toBe(true);
    }
  });

  it('unified-schema.md 9 Kalshi lists by series, and tells it', async () => {
    const { items } = await walk('/kalshi/markets?series_id=KXHIGHNY&limit=2');
    expect(items.length).toBeGreaterThan(1);
    expect(items.every((item) => 'series_id' in item && item.series_id === 'KXHIGHNY')).toBe(true);
    expect((await walk('/kalshi/events?series_id=KXFEDDECISION')).items.map(({ id }) => id)).toEqual([
      'KXFEDDECISION-NEXT',
    ]);
  });

  it.each(EXCHANGES)('%s: reads in flight are merged without a cache too, but nothing is kept', async (exchange) => {
    stand.sandbox.log.clear();
    const { book, wire } = EXCHANGE[exchange];
    const [method, path] = wire.public;
    stand.sandbox.faults.add({ exchange, method, path, fault: 'delay', delay_ms: 1_500, times: 1 });
    const asked = (): number => stand.sandbox.log.list().filter((call) => call.path.endsWith(path)).length;
    const answers = await Promise.all(Array.from({ length: 10 }, () => get(book)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(asked()).toBe(1);
    expect((await get(book)).status).toBe(200);
    expect(asked()).toBe(2);
  });

  describe.each(LANES)('sharing (contract.md 2), with FAST_LANE=%s', (FAST_LANE) => {
    let cached: TestStand;
    let key: string;
    const TTL_MS = 1_500;
    /** Longer than the callers take to come, on a busy machine too. */
    const THINKING_MS = 1_500;
    const FRESH = { 'Cache-Control': 'max-age=0, No-Cache' };

    beforeAll(async () => {
      cached = await startTestStand({ MARKET_DATA_CACHE_TTL: `${TTL_MS}ms`, FAST_LANE });
      ({ key } = await aTrader(cached));
    });

    afterAll(() => cached.close());

    beforeEach(() => {
      cached.sandbox.log.clear();
    });

    const at = (path: string, on = cached, bearer = key, headers: Record<string, string> = {}): Promise<Response> =>
      request(on.app.url)
        .get(path)
        .auth(bearer, { type: 'bearer' })
        .set(headers)
        .then((answer) => answer);
    const asked = (on: TestStand): number =>
      on.sandbox.log.list().filter(({ path }) => path.endsWith('/orderbook') || path === '/book').length;

    it.each(EXCHANGES)('%s: a public answer is kept for MARKET_DATA_CACHE_TTL, and no longer', async (exchange) => {
      const first = await at(EXCHANGE[exchange].book, cached, key, FRESH);
      const second = await at(EXCHANGE[exchange].book);
      expect([first.status, asked(cached)]).toEqual([200, 1]);
      expect(second.body).toEqual(first.body);
      await delay(TTL_MS + 50);
      await at(EXCHANGE[exchange].book);
      expect(asked(cached)).toBe(2);
    });

    it.each(EXCHANGES)(
      '%s: Cache-Control: no-cache asks the exchange itself, and refreshes the rest',
      async (exchange) => {
        await at(EXCHANGE[exchange].book);
        const before = asked(cached);
        const fresh = await at(EXCHANGE[exchange].book, cached, key, FRESH);
        expect([fresh.status, asked(cached)]).toEqual([200, before + 1]);
        expect((await at(EXCHANGE[exchange].book)).body).toEqual(fresh.body);
        expect(asked(cached)).toBe(before + 1);
      },
    );

    it.each(EXCHANGES)(
      '%s: one user’s answer serves the next; identical reads in flight are one call',
      async (exchange) => {
        const other = await aTrader(cached);
        await delay(TTL_MS + 50);
        cached.sandbox.log.clear();
        const { book: path, wire } = EXCHANGE[exchange];
        const [method, wirePath] = wire.public;
        const delayed = { exchange, method, path: wirePath, fault: 'delay', times: 1 } as const;
        cached.sandbox.faults.add({ ...delayed, delay_ms: THINKING_MS });
        const answers = await Promise.all(
          Array.from({ length: 20 }, (_, index) => at(path, cached, index % 2 === 0 ? key : other.key)),
        );
        expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
        expect(asked(cached)).toBe(1);
      },
    );

    it.each(EXCHANGES)('%s: trading is never cached, market data never signed', async (exchange) => {
      for (let i = 0; i < 2; i++) {
        expect((await at(`/${exchange}/balance`)).status).toBe(200);
        expect((await at(`/${exchange}/orders`)).status).toBe(200);
      }
      const signed = cached.sandbox.log.list(exchange).filter(({ headers }) => {
        const names = Object.keys(headers);
        return EXCHANGE[exchange].signature.every((name) => names.includes(name));
      });
      expect(signed.filter(({ path }) => path.includes('balance'))).toHaveLength(2);
      cached.sandbox.log.clear();
      for (const path of ['markets', 'events', `trades?market_id=${EXCHANGE[exchange].market}`])
        await at(`/${exchange}/${path}`);
      await at(EXCHANGE[exchange].book);
      const names = cached.sandbox.log.list(exchange).flatMap(({ headers }) => Object.keys(headers));
      expect(names.filter((name) => EXCHANGE[exchange].signature.includes(name))).toEqual([]);
    });
  });
});

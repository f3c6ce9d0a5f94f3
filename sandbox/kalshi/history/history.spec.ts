import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { toUnits } from '../../units.js';
import { FaultList } from '../../wire/faults.js';
import { isRecord } from '../../wire/json.js';
import { RequestLog } from '../../wire/request-log.js';
import { count } from '../format.js';
import { KalshiSandbox } from '../sandbox.js';
import { type Answer, KalshiTrader } from '../trader.js';

const MARKET = 'KXHIGHNY-TODAY-B55.5';
const ARCHIVED = 'KXFEDDECISION-PAST-H0';
const HOUR = 3_600;
const DAY = 24 * HOUR;

function list(answer: Answer, name: string): Record<string, unknown>[] {
  const value = isRecord(answer.body) ? answer.body[name] : undefined;
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function sumOf(records: Record<string, unknown>[], name: string): bigint {
  return records.reduce((sum, record) => sum + toUnits(String(record[name])), 0n);
}

describe('Kalshi events, trades and history', () => {
  let sandbox: KalshiSandbox;
  let client: KalshiTrader;
  let now: number;

  beforeAll(async () => {
    const clock = (): Date => new Date();
    sandbox = await KalshiSandbox.start({ faults: new FaultList(), log: new RequestLog(), clock, keyType: 'ed25519' });
    client = new KalshiTrader(sandbox.account);
    now = Math.floor(Date.now() / 1_000);
  });

  afterAll(async () => {
    await sandbox.close();
  });

  it('kalshi.md 4 lists events by status, series, tickers and times', async () => {
    const tickers = async (query: string): Promise<unknown[]> =>
      list(await client.open('/events', query), 'events').map((event) => event.event_ticker);
    expect(await tickers('')).toHaveLength(9);
    expect(await tickers('?status=open')).toEqual([
      'KXHIGHNY-TODAY',
      'KXFEDDECISION-NEXT',
      'KXBTCMAX-YEAR',
      'KXBTCD-FRIDAY',
      'KXWTI-FRIDAY',
      'KXNBAGAME-BOSNYK',
    ]);
    expect(await tickers('?status=settled')).toEqual(['KXHIGHNY-YESTERDAY', 'KXFEDDECISION-PAST']);
    expect(await tickers('?status=unopened')).toEqual(['KXHIGHNY-TOMORROW']);
    expect(await tickers('?series_ticker=KXBTCMAX')).toEqual(['KXBTCMAX-YEAR']);
    expect(await tickers('?tickers=KXHIGHNY-TODAY,KXBTCMAX-YEAR')).toHaveLength(2);
    expect(await tickers(`?min_close_ts=${now + 30 * DAY}`)).toEqual(['KXBTCMAX-YEAR']);
    expect((await client.open('/events', '?limit=201')).status).toBe(400);
    expect((await client.open('/events', '?status=paused')).status).toBe(400);
  });

  it('pages events', async () => {
    const first = await client.open('/events', '?limit=5');
    const cursor = isRecord(first.body) ? String(first.body.cursor) : '';
    const second = await client.open('/events', `?limit=5&cursor=${cursor}`);
    expect(list(first, 'events')).toHaveLength(5);
    expect(list(second, 'events')).toHaveLength(4);
    expect(second.body).toMatchObject({ cursor: '' });
  });

  it('kalshi.md 4 nests markets where asked, and has no such key where all are archived', async () => {
    const flat = await client.open('/events/KXHIGHNY-TODAY');
    expect(list(flat, 'markets')).toHaveLength(4);
    expect(flat.body).not.toHaveProperty('event.markets');
    const nested = await client.open('/events/KXHIGHNY-TODAY', '?with_nested_markets=true');
    expect(nested.body).toMatchObject({
      event: { series_ticker: 'KXHIGHNY', category: 'Climate and Weather', mutually_exclusive: true },
      markets: [],
    });
    expect(nested.body).toHaveProperty('event.markets.3');
    const past = await client.open('/events/KXFEDDECISION-PAST', '?with_nested_markets=true');
    expect(past.status).toBe(200);
    expect(past.body).not.toHaveProperty('event.markets');
    expect((await client.open('/events/NOPE')).status).toBe(404);
  });

  it('lists series by category, case-sensitively, and shows one', async () => {
    expect(list(await client.open('/series', '?category=Economics'), 'series')).toMatchObject([
      { ticker: 'KXFEDDECISION', tags: ['Fed', 'Interest rates'] },
    ]);
    expect(list(await client.open('/series', '?category=economics'), 'series')).toEqual([]);
    expect(list(await client.open('/series'), 'series')).toHaveLength(7);
    expect((await client.open('/series/KXHIGHNY', '?include_volume=true')).body).toMatchObject({
      series: { ticker: 'KXHIGHNY', volume_fp: expect.stringMatching(/^\d+\.\d\d$/) },
    });
    expect((await client.open('/series/NOPE')).status).toBe(404);
  });

  it('kalshi.md 4 gives the books of several markets at once', async () => {
    const answer = await client.open(
      '/markets/orderbooks',
      `?tickers=${MARKET}&tickers=KXHIGHNY-TODAY-T51&tickers=NOPE`,
    );
    expect(answer.body).toMatchObject({
      orderbooks: [{ ticker: MARKET }, { ticker: 'KXHIGHNY-TODAY-T51', orderbook_fp: { yes_dollars: [] } }],
    });
    expect((await client.open('/markets/orderbooks')).status).toBe(400);
  });

  it('lists trades newest first with a past, and its sum is the volume of the market', async () => {
    const answer = await client.open('/markets/trades', `?ticker=${MARKET}&limit=1000`);
    const trades = list(answer, 'trades');
    expect(trades.length).toBeGreaterThan(20);
    const times = trades.map((trade) => String(trade.created_time));
    expect(times).toEqual([...times].sort().reverse());
    const { body } = await client.open(`/markets/${MARKET}`);
    expect(body).toMatchObject({
      market: { volume_fp: count(sumOf(trades, 'count_fp')) },
    });
    const blocks = list(await client.open('/markets/trades', '?is_block_trade=true'), 'trades');
    expect(blocks.length).toBeGreaterThan(0);
    for (const trade of blocks) expect(trade.is_block_trade).toBe(true);
  });

  it('pages trades without a gap while new ones come in', async () => {
    const first = await client.open('/markets/trades', `?ticker=${MARKET}&limit=10`);
    await client.order({ side: 'ask', price: '0.4200', count: '1', time_in_force: 'immediate_or_cancel' });
    const cursor = isRecord(first.body) ? String(first.body.cursor) : '';
    const second = await client.open('/markets/trades', `?ticker=${MARKET}&limit=10&cursor=${cursor}`);
    const ids = [...list(first, 'trades'), ...list(second, 'trades')].map((trade) => trade.trade_id);
    expect(new Set(ids).size).toBe(20);
    const [newest] = list(await client.open('/markets/trades', '?limit=1'), 'trades');
    expect(newest).toMatchObject({
      ticker: MARKET,
      taker_outcome_side: 'no',
      taker_book_side: 'ask',
      count_fp: '1.00',
    });
  });

  it('filters trades by inclusive seconds', async () => {
    const [some] = list(
      await client.open('/markets/trades', `?ticker=${MARKET}&max_ts=${now - HOUR}&limit=1`),
      'trades',
    );
    const at = Math.floor(Date.parse(String(some?.created_time)) / 1_000);
    const exact = list(await client.open('/markets/trades', `?ticker=${MARKET}&min_ts=${at}&max_ts=${at}`), 'trades');
    expect(exact).toContainEqual(some);
  });

  function window(hours: number, interval: number): string {
    return `start_ts=${now - hours * HOUR}&end_ts=${now + DAY}&period_interval=${interval}`;
  }

  it('kalshi.md 4 draws candles of the trades: ends on the period, volumes add up, no empty ones', async () => {
    const trades = list(await client.open('/markets/trades', `?ticker=${MARKET}&limit=1000`), 'trades');
    for (const interval of [1, 60, 1440]) {
      const answer = await client.open(`/series/ANY/markets/${MARKET}/candlesticks`, `?${window(48, interval)}`);
      const candles = list(answer, 'candlesticks');
      expect(sumOf(candles, 'volume_fp')).toBe(sumOf(trades, 'count_fp'));
      for (const candle of candles) expect(Number(candle.end_period_ts) % (interval * 60)).toBe(0);
    }
  });

  it('kalshi.md 4 a period without a trade has quotes and no prices but the previous one', async () => {
    const answer = await client.open(`/series/ANY/markets/KXFEDDECISION-NEXT-H0/candlesticks`, `?${window(720, 60)}`);
    const quiet = list(answer, 'candlesticks').filter((candle) => candle.volume_fp === '0.00');
    expect(quiet.length).toBeGreaterThan(0);
    expect(quiet.at(-1)).toMatchObject({ yes_bid: { close_dollars: expect.any(String) } });
    expect(quiet.at(-1)?.price).toEqual({ previous_dollars: expect.any(String) });
  });

  it('the newest candle quotes what the book does, not how it was built', async () => {
    const answer = await client.open('/series/ANY/markets/KXFEDDECISION-NEXT-C25/candlesticks', `?${window(1, 60)}`);
    expect(list(answer, 'candlesticks').at(-1)).toMatchObject({
      yes_bid: { close_dollars: '0.2600' },
      yes_ask: { high_dollars: expect.not.stringMatching(/^1/), close_dollars: '0.2800' },
    });
  });

  it('gives candles of several markets, with the latest one before the window where asked', async () => {
    const query = `?market_tickers=${MARKET},KXHIGHNY-TODAY-T51&start_ts=${now + 2 * HOUR}&end_ts=${now + 3 * HOUR}&period_interval=1`;
    const plain = await client.open('/markets/candlesticks', query);
    const carried = await client.open('/markets/candlesticks', `${query}&include_latest_before_start=true`);
    expect(list(plain, 'markets')).toEqual([
      { market_ticker: MARKET, candlesticks: [] },
      { market_ticker: 'KXHIGHNY-TODAY-T51', candlesticks: [] },
    ]);
    expect(carried.body).toHaveProperty('markets.1.candlesticks.0.price.previous_dollars');
    expect(carried.body).toHaveProperty('markets.1.candlesticks.0.volume_fp', '0.00');
  });

  it.each([
    ['no start', `end_ts=1&period_interval=60`],
    ['no interval', `start_ts=0&end_ts=1`],
    ['another interval', `start_ts=0&end_ts=1&period_interval=5`],
    ['a turned window', `start_ts=2&end_ts=1&period_interval=60`],
    ['more than 5000 candles', `start_ts=0&end_ts=${5_001 * 60}&period_interval=1`],
  ])('refuses candles with %s', async (_name, query) => {
    expect((await client.open(`/series/ANY/markets/${MARKET}/candlesticks`, `?${query}`)).status).toBe(400);
  });

  it('kalshi.md 8 serves an archived market under /historical only', async () => {
    const cutoff = await client.open('/historical/cutoff');
    const times = isRecord(cutoff.body) ? cutoff.body : {};
    const daysBack = (name: string): number => (now - Date.parse(String(times[name])) / 1_000) / DAY;
    expect(daysBack('market_settled_ts')).toBeCloseTo(90, 1);
    expect(daysBack('orders_updated_ts')).toBeGreaterThanOrEqual(14);
    expect(daysBack('orders_updated_ts')).toBeLessThan(15.1);
    expect(list(await client.open('/historical/markets'), 'markets')).toMatchObject([
      { ticker: ARCHIVED, status: 'finalized', result: 'yes' },
    ]);
    expect((await client.open(`/historical/markets/${ARCHIVED}`)).status).toBe(200);
    expect((await client.open(`/historical/markets/${MARKET}`)).status).toBe(404);
    expect((await client.open(`/series/ANY/markets/${ARCHIVED}/candlesticks`, `?${window(48, 60)}`)).status).toBe(404);
    expect(list(await client.open('/markets/trades', `?ticker=${ARCHIVED}`), 'trades')).toEqual([]);
    const trades = list(await client.open('/historical/trades', `?ticker=${ARCHIVED}&limit=1000`), 'trades');
    expect(trades.length).toBeGreaterThan(100);
  });

  it('kalshi.md 8 historical candles have names without suffixes and nulls', async () => {
    const query = `?start_ts=${now - 180 * DAY}&end_ts=${now - 120 * DAY}&period_interval=60`;
    const candles = list(await client.open(`/historical/markets/${ARCHIVED}/candlesticks`, query), 'candlesticks');
    const quiet = candles.findLast((candle) => candle.volume === '0.00');
    expect(quiet).toMatchObject({
      price: { open: null, low: null, high: null, close: null, mean: null, previous: expect.any(String) },
      yes_bid: { open: expect.any(String) },
    });
    const traded = candles.find((candle) => candle.volume !== '0.00');
    expect(traded).toMatchObject({ price: { close: expect.any(String), mean: expect.any(String) } });
  });

  it('says whether the exchange trades', async () => {
    expect((await client.open('/exchange/status')).body).toMatchObject({ exchange_active: true, trading_active: true });
    sandbox.exchange.changeShard(0, { tradingActive: false }, Date.now());
    expect((await client.open('/exchange/status')).body).toMatchObject({ trading_active: false });
    sandbox.exchange.changeShard(0, { tradingActive: true }, Date.now());
  });
});

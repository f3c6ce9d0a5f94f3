import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { toUnits } from '../../units.js';
import { FaultList } from '../../wire/faults.js';
import { isRecord } from '../../wire/json.js';
import { RequestLog } from '../../wire/request-log.js';
import { KalshiSandbox } from '../sandbox.js';
import { type Answer, KalshiTrader } from '../trader.js';

const DAY_SECONDS = 86_400;

function markets({ body }: Answer): Record<string, unknown>[] {
  return isRecord(body) && Array.isArray(body.markets) ? body.markets.filter(isRecord) : [];
}

function tickers(answer: Answer): unknown[] {
  return markets(answer).map(({ ticker }) => ticker);
}

describe('Kalshi markets', () => {
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

  it('lists every live market with an empty cursor, and no archived one', async () => {
    const answer = await client.open('/markets');
    expect(tickers(answer)).toHaveLength(20);
    expect(tickers(answer)).not.toContain('KXFEDDECISION-PAST-H0');
    expect(answer.body).toMatchObject({ cursor: '' });
  });

  it.each([
    ['unopened', ['initialized'], 1],
    ['open', ['active'], 14],
    ['paused', ['inactive'], 1],
    ['closed', ['closed', 'determined'], 2],
    ['settled', ['finalized'], 2],
  ])('kalshi.md 4 status=%s gives %j', async (filter, statuses, count) => {
    const found = markets(await client.open('/markets', `?status=${filter}`));
    expect(found).toHaveLength(count);
    for (const market of found) expect(statuses).toContain(market.status);
  });

  it('filters by tickers, event, series and combos', async () => {
    expect(tickers(await client.open('/markets', '?tickers=KXHIGHNY-TODAY-T51,KXBTCMAX-YEAR-T150K,X'))).toEqual([
      'KXHIGHNY-TODAY-T51',
      'KXBTCMAX-YEAR-T150K',
    ]);
    expect(tickers(await client.open('/markets', '?event_ticker=KXFEDDECISION-NEXT'))).toHaveLength(3);
    expect(tickers(await client.open('/markets', '?series_ticker=KXBTCMAX&status=open'))).toEqual([
      'KXBTCMAX-YEAR-T150K',
    ]);
    expect(tickers(await client.open('/markets', '?mve_filter=only'))).toEqual(['KXMVECROSS-S1-01']);
    expect(tickers(await client.open('/markets', '?mve_filter=exclude'))).toHaveLength(19);
  });

  it('filters by times', async () => {
    expect(tickers(await client.open('/markets', `?min_settled_ts=${now - 2 * DAY_SECONDS}`))).toHaveLength(2);
    expect(tickers(await client.open('/markets', `?max_settled_ts=${now - 2 * DAY_SECONDS}`))).toEqual([]);
    const closed = await client.open('/markets', `?min_close_ts=${now - DAY_SECONDS}&max_close_ts=${now}`);
    expect(tickers(closed)).toEqual(['KXBTCMAX-YEAR-T120K', 'KXBTCMAX-YEAR-T100K']);
    const created = await client.open('/markets', `?min_created_ts=${now - 30 * DAY_SECONDS}&status=open`);
    expect(tickers(created)).toHaveLength(10);
    expect(tickers(await client.open('/markets', `?min_updated_ts=${now - 2 * DAY_SECONDS}`)).length).toBeGreaterThan(
      0,
    );
  });

  it('pages without gap or repetition', async () => {
    const seen: unknown[] = [];
    let cursor = '';
    do {
      const answer = await client.open('/markets', `?limit=4&cursor=${cursor}`);
      seen.push(...tickers(answer));
      cursor = isRecord(answer.body) ? String(answer.body.cursor) : '';
    } while (cursor !== '');
    expect(seen).toHaveLength(20);
    expect(new Set(seen).size).toBe(20);
  });

  it('kalshi.md 3 a garbage cursor silently gives the first page', async () => {
    const first = tickers(await client.open('/markets', '?limit=3'));
    expect(tickers(await client.open('/markets', '?limit=3&cursor=garbage!!'))).toEqual(first);
  });

  it('kalshi.md 11 a limit above the maximum is a 400 with a bare msg', async () => {
    expect(await client.open('/markets', '?limit=1001')).toEqual({
      status: 400,
      body: {
        msg: "Parameter validation failed for GetMarkets: Key: 'GetMarketsParams.Limit' Error:Field validation for 'Limit' failed on the 'lte' tag",
      },
    });
    expect((await client.open('/markets', '?limit=1000')).status).toBe(200);
  });

  it.each([
    'limit=-1',
    'limit=ten',
    'status=all',
    'status=open,closed',
    'mve_filter=none',
    'min_close_ts=soon',
    'min_close_ts=1&min_created_ts=1',
    'min_close_ts=1&status=open',
    'max_settled_ts=1&status=closed',
    'min_created_ts=1&status=settled',
    'min_updated_ts=1&status=open',
    'min_updated_ts=1&series_ticker=KXHIGHNY',
  ])('kalshi.md 4 refuses ?%s', async (query) => {
    const { status, body } = await client.open('/markets', `?${query}`);
    expect(status).toBe(400);
    expect(Object.keys(isRecord(body) ? body : {})).toEqual(['msg']);
  });

  it('shows an open market with both sides, exact complements and decimals of the exchange', async () => {
    const { body } = await client.open('/markets/KXHIGHNY-TODAY-B55.5');
    expect(body).toMatchObject({
      market: {
        ticker: 'KXHIGHNY-TODAY-B55.5',
        status: 'active',
        yes_bid_dollars: '0.4200',
        yes_ask_dollars: '0.4400',
        no_bid_dollars: '0.5600',
        no_ask_dollars: '0.5800',
        last_price_dollars: '0.4300',
        result: '',
        price_ranges: [{ start: '0.0000', end: '1.0000', step: '0.0100' }],
      },
    });
  });

  it('kalshi.md 4 shows an empty side as 0 and 1 with size 0, and all 0 before the market opens', async () => {
    expect((await client.open('/markets/KXHIGHNY-TODAY-T51')).body).toMatchObject({
      market: {
        yes_bid_dollars: '0.0000',
        yes_bid_size_fp: '0.00',
        yes_ask_dollars: '0.0200',
        no_ask_dollars: '1.0000',
      },
    });
    expect((await client.open('/markets/KXHIGHNY-TOMORROW-B57.5')).body).toMatchObject({
      market: { status: 'initialized', yes_bid_dollars: '0.0000', yes_ask_dollars: '0.0000', no_ask_dollars: '0.0000' },
    });
    expect((await client.open('/markets/KXHIGHNY-YESTERDAY-B52.5')).body).toMatchObject({
      market: { status: 'finalized', result: 'yes', settlement_value_dollars: '1.0000', yes_ask_dollars: '1.0000' },
    });
  });

  it('has markets with tapered ticks and with ticks of 0.0001', async () => {
    expect((await client.open('/markets/KXFEDDECISION-NEXT-C26')).body).toMatchObject({
      market: { yes_bid_dollars: '0.0110', price_ranges: [{ step: '0.0010' }, { step: '0.0100' }, { step: '0.0010' }] },
    });
    expect((await client.open('/markets/KXBTCMAX-YEAR-T150K')).body).toMatchObject({
      market: { yes_bid_dollars: '0.3721', price_ranges: [{ step: '0.0001' }] },
    });
  });

  it('kalshi.md 4.1 tells settlement bounds, and what a combo is made of', async () => {
    expect((await client.open('/markets/KXBTCD-FRIDAY-T110000')).body).toMatchObject({
      market: { settlement_bounds_type: 'default' },
    });
    expect((await client.open('/markets/KXWTI-FRIDAY-T70')).body).toMatchObject({
      market: { settlement_bounds_type: 'floor', settlement_floor_dollars: '0.0500' },
    });
    expect((await client.open('/markets/KXMVECROSS-S1-01')).body).toMatchObject({
      market: {
        mve_collection_ticker: 'KXMVECROSS-SHARD1',
        mve_selected_legs: [{ market_ticker: 'KXNBAGAME-BOSNYK-BOS' }, { market_ticker: 'KXBTCD-FRIDAY-T110000' }],
        price_ranges: [{ step: '0.0001' }, { step: '0.0100' }, { step: '0.0001' }],
      },
    });
  });

  it('answers 404 for unknown and for archived markets', async () => {
    const notFound = { status: 404, body: { error: { code: 'not_found', message: 'not found' } } };
    expect(await client.open('/markets/NOPE')).toEqual(notFound);
    expect(await client.open('/markets/KXFEDDECISION-PAST-H0')).toEqual(notFound);
    expect(await client.open('/markets/NOPE/orderbook')).toEqual(notFound);
    expect(await client.open('/nothing')).toEqual(notFound);
  });

  function book({ body }: Answer): { yes: [string, string][]; no: [string, string][] } {
    const levels = isRecord(body) && isRecord(body.orderbook_fp) ? body.orderbook_fp : {};
    const side = (value: unknown): [string, string][] =>
      Array.isArray(value) ? value.map((level: unknown[]) => [String(level[0]), String(level[1])]) : [];
    return { yes: side(levels.yes_dollars), no: side(levels.no_dollars) };
  }

  it('kalshi.md 4 gives bids only, rising, the best last, of both outcomes', async () => {
    const { yes, no } = book(await client.open('/markets/KXHIGHNY-TODAY-B55.5/orderbook'));
    expect([yes.length, no.length]).toEqual([10, 10]);
    expect(yes.at(-1)?.[0]).toBe('0.4200');
    expect(no.at(-1)?.[0]).toBe('0.5600');
    const prices = yes.map(([price]) => toUnits(price));
    expect(prices).toEqual([...prices].sort((a, b) => (a < b ? -1 : 1)));
    for (const [, size] of [...yes, ...no]) expect(size).toMatch(/^\d+\.\d\d$/);
  });

  it('cuts the book to the best levels', async () => {
    const { yes, no } = book(await client.open('/markets/KXHIGHNY-TODAY-B55.5/orderbook', '?depth=2'));
    expect(yes.map(([price]) => price)).toEqual(['0.4100', '0.4200']);
    expect(no.map(([price]) => price)).toEqual(['0.5500', '0.5600']);
    expect((await client.open('/markets/KXHIGHNY-TODAY-B55.5/orderbook', '?depth=101')).status).toBe(400);
    expect(book(await client.open('/markets/KXHIGHNY-TODAY-B55.5/orderbook', '?depth=0')).yes).toHaveLength(10);
  });

  it('kalshi.md 4 a settled market has an empty book', async () => {
    expect(await client.open('/markets/KXHIGHNY-YESTERDAY-B52.5/orderbook')).toEqual({
      status: 200,
      body: { orderbook_fp: { yes_dollars: [], no_dollars: [] } },
    });
  });
});

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { KalshiTrader } from '../../sandbox/kalshi/trader.js';
import type { MarketDto } from '../../src/exchanges/unified.market-data.dto.js';
import { aTrader, startTestStand, type TestStand, type Trader } from '../support/sandbox.js';
import { StreamReader, type Told } from '../support/stream-reader.js';

const TICKER = 'KXHIGHNY-TODAY-B55.5';

const isLiveOf =
  (channel: string) =>
  ({ type, state, channel: of }: Told): boolean =>
    type === 'status' && state === 'live' && of === channel;
const isTrade = ({ type }: Told): boolean => type === 'trade';
const isQuote = ({ type }: Told): boolean => type === 'quote';

describe.each(['stream', 'polling'] as const)('contract.md 5.14 trades and quotes by %s', (source) => {
  let stand: TestStand;
  let trader: Trader;
  let kalshi: KalshiTrader;
  const open: StreamReader[] = [];

  beforeAll(async () => {
    stand = await startTestStand(
      source === 'stream' ? {} : { KALSHI_STREAM_ACCESS_KEY: '', KALSHI_STREAM_PRIVATE_KEY: '' },
    );
    trader = await aTrader(stand);
    kalshi = new KalshiTrader(stand.sandbox.kalshi.account);
  });

  afterEach(() => {
    for (const reader of open.splice(0)) reader.close();
  });

  afterAll(() => stand.close());

  const read = (path: string): StreamReader => {
    const reader = new StreamReader(stand.app.url, path, trader.key);
    open.push(reader);
    return reader;
  };
  const get = async (path: string): Promise<{ status: number; body: unknown }> => {
    const answer = await request(stand.app.url).get(path).auth(trader.key, { type: 'bearer' });
    return { status: answer.status, body: answer.body as unknown };
  };

  it('begins with the whole quote, as GET /markets/{market_id} has it, and tells it whole at each change', async () => {
    const reader = read(`/kalshi/markets/stream?market_id=${TICKER}`);
    const status = await reader.message(isLiveOf('markets'));
    expect(status).toMatchObject({ reason: null, source });
    expect(status.interval_ms).toBe(source === 'polling' ? 1_000 : undefined);
    const { body } = await get(`/kalshi/markets/${TICKER}`);
    const { status: state, tradable, outcomes } = body as MarketDto;
    const data = { market_id: TICKER, status: state, tradable, outcomes, result: null };
    expect(reader.messages[0]).toMatchObject({ type: 'quote', channel: 'markets', exchange: 'kalshi', data });
    await kalshi.order({ price: '0.4300', count: '7.00' });
    const from = reader.messages.length;
    const bidOf = ({ data: quote }: Told) => (quote as { outcomes: [{ bid: string }] }).outcomes[0].bid;
    await reader.message((told) => isQuote(told) && bidOf(told) !== bidOf(reader.messages[0] ?? told), from);
  });

  const path = `/kalshi/trades/stream?market_id=${TICKER}`;

  if (source === 'polling') {
    it('refuses trades, which nobody polls', async () => {
      expect(await get(path)).toMatchObject({ status: 422, body: { error: { code: 'not_supported' } } });
    });
    return;
  }

  it('tells trades as GET /trades has them', async () => {
    const reader = read(path);
    await reader.message(isLiveOf('trades'));
    await kalshi.order({ price: '0.9900', count: '2.00' });
    const told = await reader.message(isTrade);
    const { body } = await get(`/kalshi/trades?market_id=${TICKER}&limit=1`);
    expect(told).toMatchObject({ channel: 'trades', exchange: 'kalshi', market_id: TICKER });
    expect(told.data).toEqual((body as { data: object[] }).data[0]);
  });

  it('tells both in one stream, of both exchanges', async () => {
    const { body } = await get('/polymarket/markets?limit=1&status=open');
    const id = (body as { data: MarketDto[] }).data[0]?.id ?? '';
    const subscriptions = [`kalshi.markets:${TICKER}`, `polymarket.markets:${id}`, `polymarket.trades:${id}`];
    const reader = read(`/stream?${subscriptions.map((one) => `subscribe=${one}`).join('&')}`);
    const isOf = (wanted: string) => (told: Told) => isQuote(told) && told.market_id === wanted;
    await Promise.all([reader.message(isOf(TICKER)), reader.message(isOf(id))]);
    expect(await reader.message(isLiveOf('trades'))).toMatchObject({ exchange: 'polymarket', source: 'stream' });
  });
});

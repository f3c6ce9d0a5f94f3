import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { KalshiTrader } from '../../sandbox/kalshi/trader.js';
import { aTrader, startTestStand, type TestStand, type Trader } from '../support/sandbox.js';
import { StreamReader, type Told } from '../support/stream-reader.js';

const TICKER = 'KXHIGHNY-TODAY-B55.5';
const BOOK = `/kalshi/orderbooks/stream?market_id=${TICKER}`;

interface Level {
  readonly price: string;
  readonly size: string;
}

interface BookData {
  readonly bids: Level[];
  readonly asks: Level[];
}

const bookOf = ({ data }: Told): BookData => data as BookData;
const isLive = ({ type, state }: Told): boolean => type === 'status' && state === 'live';

describe.each(['stream', 'polling'] as const)('contract.md 5.14 books by %s', (source) => {
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
    stand.sandbox.streamFaults.clear();
    for (const reader of open.splice(0)) reader.close();
  });

  afterAll(() => stand.close());

  const read = (path: string, headers?: Record<string, string>, key = trader.key): StreamReader => {
    const reader = new StreamReader(stand.app.url, path, key, headers);
    open.push(reader);
    return reader;
  };
  const get = (path: string): Promise<Response> =>
    request(stand.app.url)
      .get(path)
      .auth(trader.key, { type: 'bearer' })
      .then((answer) => answer);

  const idsOf = async (path: string): Promise<string[]> =>
    ((await get(path)).body as { data: { id: string }[] }).data.map(({ id }) => id);

  it('begins with the whole book, as GET /orderbooks has it, and says that it is live', async () => {
    const reader = await read(BOOK).opened();
    expect([reader.status, reader.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
    expect(reader.headers).toMatchObject({ 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
    const status = await reader.message(isLive);
    const [snapshot] = reader.messages;
    const answer = await get(`/kalshi/orderbooks?market_id=${TICKER}`);
    const book = { ...(answer.body as object), timestamp: expect.any(String), timestamp_source: expect.any(String) };
    expect(snapshot).toMatchObject({ type: 'snapshot', channel: 'orderbooks', exchange: 'kalshi', market_id: TICKER });
    expect(snapshot).toMatchObject({ previous_sequence: null, reason: 'initial', source, data: book });
    expect(status).toMatchObject({ reason: null, source });
    expect(status.interval_ms).toBe(source === 'polling' ? 1_000 : undefined);
    expect(reader.text.startsWith('retry: 2000\n\n')).toBe(true);
  });

  it('tells a change by the new size, linked to what was told before, of both outcomes by their own prices', async () => {
    const [yes, no] = [read(BOOK), read(`${BOOK}&outcome=no`)];
    await Promise.all([yes.message(isLive), no.message(isLive)]);
    const sequence = yes.messages[0]?.sequence;
    await kalshi.order({ price: '0.0300', count: '7.00' });
    const isUpdate = ({ type }: Told): boolean => type === 'update' || type === 'snapshot';
    const [update, mirror] = await Promise.all([yes.message(isUpdate, 1), no.message(isUpdate, 1)]);
    const bid = bookOf(update).bids.find(({ price }) => price === '0.03');
    expect([bid?.price, Number(bid?.size) >= 7]).toEqual(['0.03', true]);
    expect(bookOf(mirror).asks).toContainEqual({ price: '0.97', size: bid?.size });
    expect(update.previous_sequence).toBe(sequence);
    const count = 'trading_proxy_stream_message_age_seconds_count{exchange="kalshi",channel="orderbooks"} ';
    const { text } = await request(stand.app.url).get('/metrics');
    // What is polled has no time of the exchange.
    expect(Number(text.split(count)[1]?.split('\n')[0] ?? 0) > 0).toBe(source === 'stream');
  });

  it('opens several books in one stream, each once, and none where one is unknown', async () => {
    const ids = await idsOf('/kalshi/markets?limit=3');
    const reader = read(`/kalshi/orderbooks/stream?market_id=${[...ids, ids[0]].join(',')}`);
    for (const id of ids) await reader.message(({ type, market_id }) => type === 'snapshot' && market_id === id);
    expect(reader.messages.filter(({ type }) => type === 'snapshot')).toHaveLength(3);
    const unknown = await get(`/kalshi/orderbooks/stream?market_id=${TICKER},KXNOBODY-26DEC31-T1`);
    expect([unknown.status, unknown.type]).toEqual([404, 'application/json']);
  });

  it.each([
    ['market_id is missing', '/kalshi/orderbooks/stream', 400],
    ['there are too many', `/kalshi/orderbooks/stream?market_id=${Array(51).fill('A').join(',')}`, 400],
    ['an id is none', '/kalshi/orderbooks/stream?market_id=a%20b', 400],
    ['depth is asked for', `${BOOK}&depth=3`, 400],
    ['the outcome is unknown', `${BOOK}&outcome=maybe`, 400],
    ['the exchange is unknown', `/nobody/orderbooks/stream?market_id=${TICKER}`, 404],
  ])('refuses before the first byte where %s', async (_what, path, status) => {
    expect((await get(path)).status).toBe(status);
  });

  it('says closed first of a market that is over', async () => {
    const [id = ''] = await idsOf('/kalshi/markets?status=settled&limit=1');
    const reader = read(`/kalshi/orderbooks/stream?market_id=${id}`);
    const first = await reader.message(() => true);
    expect(first).toMatchObject({ type: 'status', state: 'closed', reason: 'market_resolved', market_id: id });
  });

  it('opens nothing for HEAD', async () => {
    const answer = await request(stand.app.url).head(BOOK).auth(trader.key, { type: 'bearer' });
    expect([answer.status, answer.type]).toEqual([200, 'text/event-stream']);
  });
});

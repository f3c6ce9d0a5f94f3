import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { PolymarketTrader as Wallet } from '../sandbox/polymarket/trader.js';
import { EXCHANGE, type ExchangeName, EXCHANGES } from './support/exchanges.js';
import { FaultStand } from './support/fault-stand.js';
import { aTrader, type Trader } from './support/sandbox.js';
import { measureAgain } from './support/measured.js';

measureAgain();

const TIMEOUT_MS = 6_000;
/** What waits for somebody else's calls takes far longer. */
const AT_ONCE_MS = 3_000;

describe('R-27 what the calls of one user may not do to those of another', () => {
  let stand: FaultStand;
  let other: Trader;
  /** Whose orders hang. */
  let third: Trader;
  let crowd: Promise<unknown> = Promise.resolve();

  beforeAll(async () => {
    stand = await FaultStand.start(TIMEOUT_MS);
    const { app, sandbox } = stand;
    [other, third] = (await Promise.all([1, 2].map(() => aTrader({ app, sandbox, close: () => app.close() })))) as [
      Trader,
      Trader,
    ];
    for (const exchange of EXCHANGES) await stand.healthy(exchange, 3);
  });

  afterAll(() => stand.close());

  afterEach(async () => {
    stand.heal();
    await crowd;
  });

  function send(method: 'get' | 'post' | 'delete', path: string, body?: object, { key } = other): Promise<Response> {
    const call = request(stand.app.url)[method](path).auth(key, { type: 'bearer' });
    return call.send(body).then((answer) => answer);
  }

  /** So many calls at once. */
  function many(times: number, call: (index: number) => Promise<unknown>): void {
    crowd = Promise.all(Array.from({ length: times }, (_, index) => call(index)));
  }

  async function readsAtOnce(exchange: ExchangeName): Promise<void> {
    const startedAt = performance.now();
    const answers = await Promise.all([1, 2, 3].map(() => send('get', EXCHANGE[exchange].book)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(performance.now() - startedAt).toBeLessThan(AT_ONCE_MS);
  }

  describe.each(EXCHANGES)('%s', (exchange) => {
    it("refusals with 500 in the exchange's own words", async () => {
      const [method, path] = EXCHANGE[exchange].wire.signed;
      stand.sandbox.faults.add({ exchange, method, path, fault: 'status', status: 500, times: 60 });
      many(60, () => stand.send('get', EXCHANGE[exchange].signedRead));
      await crowd;
      await readsAtOnce(exchange);
      expect((await stand.send('get', EXCHANGE[exchange].book)).status).toBe(200);
    });

    it('reads that hang, and their time-outs, which stop the one user alone', async () => {
      const [method, path] = EXCHANGE[exchange].wire.signed;
      stand.sandbox.faults.add({ exchange, method, path, fault: 'hang', times: 200 });
      const before = stand.gatewayOf(exchange).count(method, path);
      many(80, () => stand.send('get', EXCHANGE[exchange].signedRead));
      await stand.gatewayOf(exchange).hasCome(method, path, before + 20);
      await readsAtOnce(exchange);
      await crowd;
      expect((await stand.send('get', EXCHANGE[exchange].book)).status).toBe(503);
      await readsAtOnce(exchange);
    });
  });

  /** What comes back to a user whom the others' failures are not to stop: an order, a cancel, and perhaps reads. */
  async function statuses(exchange: ExchangeName, readsToo: boolean): Promise<number[]> {
    const placed = await send('post', `/${exchange}/orders`, await stand.anOrder(exchange));
    const reads = [`/${exchange}/balance`, `/${exchange}/fills`, EXCHANGE[exchange].book];
    const answers = await Promise.all(readsToo ? reads.map((path) => send('get', path)) : []);
    const one = await send('delete', `/${exchange}/orders/${(placed.body as { id: string }).id}`);
    const all = await send('delete', `/${exchange}/orders`);
    return [placed, ...answers, one, all].map(({ status }) => status);
  }

  describe.each([
    ["500 in the exchange's own words", {}, true],
    ["a gateway's 502", { status: 502, body: '<html>bad gateway</html>' }, false],
  ] as const)('questions of two users that are answered with %s', (_, answer, readsToo) => {
    const fault = { method: 'GET', fault: 'status', status: 500, times: 1_000, ...answer } as const;

    it('in orders for tokens that nobody knows', async () => {
      stand.sandbox.faults.add({ ...fault, exchange: 'polymarket', path: '/markets-by-token/' });
      const { polymarket } = stand.sandbox.addresses;
      const wallet = new Wallet(polymarket.clob_url, polymarket);
      for (const { key } of [stand.trader, third]) {
        many(15, (index) => {
          const tokenId = `${key.length}${Date.now()}${index}${'7'.repeat(50)}`;
          const terms = { tokenId, negRisk: false, side: 'BUY', price: '0.02', size: '5' } as const;
          return send('post', '/polymarket/orders', { signed_order: wallet.sign(terms) }, { ...third, key });
        });
        await crowd;
      }
      expect(new Set(await statuses('polymarket', readsToo))).toEqual(new Set([200]));
    });

    it('in reads of markets with odd tickers', async () => {
      stand.sandbox.faults.add({ ...fault, exchange: 'kalshi', path: '/markets/KXODD' });
      for (const trader of [stand.trader, third]) {
        many(15, (index) =>
          send('get', `/kalshi/markets/KXODD-${trader.user.id.slice(-6)}${index}`, undefined, trader),
        );
        await crowd;
      }
      expect(new Set(await statuses('kalshi', readsToo))).toEqual(new Set([200]));
    });
  });

  it('orders that hang keep no cancel back', async () => {
    const placed = await send('post', '/kalshi/orders', await stand.anOrder('kalshi'));
    expect(placed.status).toBe(200);
    const [method, path] = EXCHANGE.kalshi.wire.order;
    stand.sandbox.faults.add({ exchange: 'kalshi', method, path, fault: 'hang', times: 80 });
    const order = await stand.anOrder('kalshi');
    const before = stand.gatewayOf('kalshi').count(method, path);
    many(80, () => send('post', '/kalshi/orders', order, third));
    await stand.gatewayOf('kalshi').hasCome(method, path, before + 20);
    const startedAt = performance.now();
    expect((await send('delete', `/kalshi/orders/${(placed.body as { id: string }).id}`)).status).toBe(200);
    expect(performance.now() - startedAt).toBeLessThan(AT_ONCE_MS);
  });

  it('a 429 with Retry-After 60 that one user drew pauses that user; those of two all, but neither orders nor cancels', async () => {
    const fault = { exchange: 'polymarket', method: 'GET', path: '/public-search', fault: 'status' } as const;
    const search = '/polymarket/markets?search=bitcoin';
    const drawn = async (trader: Trader): Promise<unknown> => {
      stand.sandbox.faults.add({ ...fault, status: 429, headers: { 'retry-after': '60' }, times: 1 });
      return (await send('get', search, undefined, trader)).status;
    };
    // Each asks Gamma for the market.
    const reads = [EXCHANGE.polymarket.book, `/polymarket/trades?market_id=${EXCHANGE.polymarket.market}`, search];
    const statusesOf = (trader?: Trader): Promise<number[]> =>
      Promise.all(reads.map(async (path) => (await send('get', path, undefined, trader)).status));
    expect(await drawn(third)).toBe(429);
    expect(await statusesOf(third)).toEqual([503, 503, 503]);
    expect(await statusesOf()).toEqual([200, 200, 200]);
    expect(await orderOnNewMarket(1)).toBe(200);
    expect(await drawn(stand.trader)).toBe(429);
    expect(await statusesOf()).toEqual([503, 503, 503]);
    expect(await orderOnNewMarket(2)).toBe(200);
    expect((await send('delete', '/polymarket/orders')).status).toBe(200);
  });

  /** Places an order on a market of the sandbox that the service has not read yet; returns the status. */
  async function orderOnNewMarket(index: number): Promise<number> {
    const { polymarket } = stand.sandbox.addresses;
    const wallet = new Wallet(polymarket.clob_url, polymarket);
    const answer = await fetch(`${polymarket.gamma_url}/markets/keyset?closed=false&limit=50`);
    const { markets } = (await answer.json()) as {
      markets: { slug: string; clobTokenIds?: string; negRisk?: boolean; acceptingOrders?: boolean }[];
    };
    const isNew = (market: (typeof markets)[number]): boolean =>
      market.slug !== EXCHANGE.polymarket.market && market.acceptingOrders === true;
    const market = markets.filter(isNew)[index];
    const [tokenId = ''] = JSON.parse(market?.clobTokenIds ?? '[]') as string[];
    const terms = { tokenId, negRisk: market?.negRisk === true, side: 'BUY', price: '0.02', size: '5' } as const;
    const placed = await send('post', '/polymarket/orders', { signed_order: wallet.sign(terms) });
    return placed.status;
  }
});

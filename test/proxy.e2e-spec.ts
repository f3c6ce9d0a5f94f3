import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { SandboxWallet } from '../sandbox/polymarket/signing/wallet.js';
import { anApiKey, aUser } from './support/users.js';
import { EXCHANGES } from './support/exchanges.js';
import { aTrader, startTestStand, storeCredentials, type TestStand, type Trader } from './support/sandbox.js';

const bearer = { type: 'bearer' } as const;

interface Market {
  id: string;
  tradable: boolean;
  refs: { neg_risk?: boolean };
  outcomes: { id: string; index: number; bid: string | null; ask: string | null }[];
}

interface Book {
  bids: { price: string; size: string }[];
  asks: { price: string; size: string }[];
}

describe('the proxy in front of both exchanges (contract.md 5)', () => {
  let stand: TestStand;
  let trader: Trader;

  beforeAll(async () => {
    stand = await startTestStand();
    trader = await aTrader(stand);
  });

  afterAll(() => stand.close());

  const get = (path: string, key = trader.key): Promise<Response> =>
    request(stand.app.url)
      .get(path)
      .auth(key, bearer)
      .then((r) => r);
  const order = (exchange: string, body: object, key = trader.key): Promise<Response> =>
    request(stand.app.url)
      .post(`/${exchange}/orders`)
      .auth(key, bearer)
      .send(body)
      .then((r) => r);
  const markets = async (exchange: string, query = ''): Promise<Market[]> =>
    ((await get(`/${exchange}/markets${query}`)).body as { data: Market[] }).data;
  const tradable = async (exchange: string): Promise<Market> => {
    const found = (await markets(exchange, '?limit=100')).find(
      (market) => market.tradable && market.outcomes.every((o) => o.bid !== null && o.ask !== null),
    );
    if (found === undefined) throw new Error(`no tradable market at ${exchange}`);
    return found;
  };
  const book = async (exchange: string, marketId: string, outcome: number): Promise<Book> =>
    (await get(`/${exchange}/orderbooks?market_id=${marketId}&outcome=${outcome}`)).body as Book;
  const sentOrders = (): Record<string, unknown>[] =>
    stand.sandbox.log
      .list()
      .filter(({ method, path }) => method === 'POST' && /(events\/orders|\/order)$/.test(path))
      .map(({ body }) => JSON.parse(body) as Record<string, unknown>);

  describe.each(EXCHANGES)('%s', (exchange) => {
    it('lists markets with their age, page by page, to an end, each once', async () => {
      const seen: string[] = [];
      let cursor: string | null = '';
      let pages = 0;
      while (cursor !== null && pages < 50) {
        const answer: Response = await get(
          `/${exchange}/markets?limit=3${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
        );
        expect(answer.status).toBe(200);
        const page = answer.body as { data: Market[]; next_cursor: string | null };
        expect(page).toEqual({
          data: expect.any(Array),
          next_cursor: page.next_cursor,
          timestamp: expect.stringMatching(/\.\d{3}Z$/),
          timestamp_source: expect.stringMatching(/^(exchange|received)$/),
        });
        seen.push(...page.data.map(({ id }) => id));
        cursor = page.next_cursor;
        pages += 1;
      }
      expect(pages).toBeGreaterThan(1);
      expect(seen.length).toBeGreaterThan(3);
      expect(new Set(seen).size).toBe(seen.length);
    });

    it('gives one market, the same as in the list', async () => {
      const listed = await tradable(exchange);
      const one = await get(`/${exchange}/markets/${listed.id}`);
      expect(one.status).toBe(200);
      expect(one.body).toMatchObject({
        exchange,
        id: listed.id,
        status: 'open',
        tradable: true,
        timestamp: expect.any(String),
      });
    });

    it('gives the book of both outcomes best first, each the mirror of the other', async () => {
      const { id } = await tradable(exchange);
      const [yes, no] = [await book(exchange, id, 0), await book(exchange, id, 1)];
      expect(yes.bids.length).toBeGreaterThan(0);
      expect(Number(yes.bids[0]?.price)).toBeGreaterThan(Number(yes.bids.at(-1)?.price ?? 1) - 1e-9);
      expect(Number(yes.asks[0]?.price)).toBeLessThan(Number(yes.asks.at(-1)?.price ?? 0) + 1e-9);
      const mirrored = no.bids.map(({ price, size }) => [(1 - Number(price)).toFixed(6), size]);
      expect(yes.asks.map(({ price, size }) => [Number(price).toFixed(6), size])).toEqual(mirrored);
      const cut = (await get(`/${exchange}/orderbooks?market_id=${id}&depth=1`)).body as Book;
      expect(cut.bids).toEqual(yes.bids.slice(0, 1));
    });

    it('gives the balance of the stored credentials', async () => {
      const balance = await get(`/${exchange}/balance`);
      expect(balance.status).toBe(200);
      expect(balance.body).toMatchObject({ exchange, available: expect.stringMatching(/^\d+(\.\d+)?$/) });
      expect(Number((balance.body as { available: string }).available)).toBeGreaterThan(0);
    });

    it('S-48 answers 404 for an unknown market and for what cannot be a market id', async () => {
      for (const id of ['0x' + '9'.repeat(64), 'KXNONE-1', '%2e%2e', '..%2fportfolio', 'a%20b', 'x%3Fy']) {
        const answer = await get(`/${exchange}/markets/${id}`);
        expect([id, answer.status]).toEqual([id, 404]);
      }
    });

    it.each(['limit=0', 'limit=101', 'limit=ten', 'cursor=made-up', 'status=shut', 'colour=red', 'limit=2&limit=3'])(
      'refuses the query %s with 400',
      async (query) => {
        const answer = await get(`/${exchange}/markets?${query}`);
        expect(answer.status).toBe(400);
        expect(answer.body).toMatchObject({ error: { code: 'bad_request' } });
      },
    );

    it('S-51 refuses trading without stored credentials with 409 credentials_not_configured, and calls nobody', async () => {
      const user = await aUser(stand.app);
      const key = await anApiKey(stand.app, user);
      const before = stand.sandbox.log.list(exchange).length;
      const balance = await get(`/${exchange}/balance`, key);
      expect(balance.status).toBe(409);
      expect(balance.body).toMatchObject({ error: { code: 'credentials_not_configured', retryable: false } });
      expect(stand.sandbox.log.list(exchange)).toHaveLength(before);
    });

    it('S-31 refuses a read-only key on a trading route with 403 forbidden', async () => {
      const key = await anApiKey(stand.app, await aUser(stand.app), ['read']);
      const answer = await get(`/${exchange}/balance`, key);
      expect(answer.status).toBe(403);
      expect(answer.body).toMatchObject({ error: { code: 'forbidden', details: { required_scope: 'trade' } } });
      expect((await get(`/${exchange}/markets`, key)).status).toBe(200);
    });
  });

  describe('Kalshi orders', () => {
    it.each([
      ['buy', 'yes', '0.03', { side: 'bid', price: '0.0300' }],
      ['sell', 'yes', '0.97', { side: 'ask', price: '0.9700' }],
      ['buy', 'no', '0.03', { side: 'ask', price: '0.9700' }],
      ['sell', 'no', '0.97', { side: 'bid', price: '0.0300' }],
    ])('%s %s at %s reaches the exchange as exactly that', async (side, outcome, price, wire) => {
      const { id } = await tradable('kalshi');
      const answer = await order('kalshi', {
        market_id: id,
        outcome,
        side,
        price,
        size: '2',
        client_order_id: `c-${side}-${outcome}`,
      });
      expect(answer.status).toBe(200);
      expect(sentOrders().at(-1)).toEqual({
        ticker: id,
        exchange_index: 0,
        client_order_id: `c-${side}-${outcome}`,
        count: '2.00',
        time_in_force: 'good_till_canceled',
        self_trade_prevention_type: 'taker_at_cross',
        ...wire,
      });
      expect(answer.body).toMatchObject({
        exchange: 'kalshi',
        client_order_id: `c-${side}-${outcome}`,
        market_id: id,
        outcome: { id: `${id}:${outcome}`, index: outcome === 'yes' ? 0 : 1 },
        side,
        price,
        size: '2',
        filled_size: '0',
        remaining_size: '2',
        status: 'open',
        time_in_force: 'gtc',
      });
    });

    it('fills against the book, at prices of the outcome named', async () => {
      const { id } = await tradable('kalshi');
      const best = (await book('kalshi', id, 1)).asks[0];
      const answer = await order('kalshi', {
        market_id: id,
        outcome: 'no',
        side: 'buy',
        price: best?.price ?? '',
        size: '1',
        time_in_force: 'ioc',
      });
      expect(answer.body).toMatchObject({
        status: 'filled',
        filled_size: '1',
        remaining_size: '0',
        average_fill_price: best?.price,
      });
    });

    it.each([
      ['a JSON number as price', { price: 0.42 }, 'price'],
      ['a JSON number as size', { size: 10 }, 'size'],
      ['a price of 1', { price: '1' }, 'price'],
      ['a price of 0', { price: '0' }, 'price'],
      ['a price with an exponent', { price: '4e-1' }, 'price'],
      ['no size', { size: undefined }, 'size'],
      ['a size of 0', { size: '0' }, 'size'],
      ['an unknown outcome', { outcome: 'maybe' }, 'outcome'],
      ['an unknown side', { side: 'bid' }, 'side'],
      ['gtd without expires_at', { time_in_force: 'gtd' }, 'expires_at'],
      ['expires_at with gtc', { expires_at: '2031-01-01T00:00:00.000Z' }, 'expires_at'],
      ['an unknown field', { leverage: '2' }, 'leverage'],
      ['a market id that is a path', { market_id: '../../x' }, 'market_id'],
    ])('refuses %s with 400, and nothing is sent', async (_, change, field) => {
      const { id } = await tradable('kalshi');
      const before = sentOrders().length;
      const answer = await order('kalshi', {
        market_id: id,
        outcome: 'yes',
        side: 'buy',
        price: '0.05',
        size: '1',
        ...change,
      });
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({
        error: {
          code: 'bad_request',
          details: { fields: expect.arrayContaining([expect.objectContaining({ field })]) },
        },
      });
      expect(sentOrders()).toHaveLength(before);
    });

    it('passes on the exchange’s refusal as 422 exchange_rejected with its reason', async () => {
      const { id } = await tradable('kalshi');
      const rich = await order('kalshi', {
        market_id: id,
        outcome: 'yes',
        side: 'buy',
        price: '0.05',
        size: '99999999',
      });
      expect(rich.status).toBe(422);
      expect(rich.body).toMatchObject({
        error: {
          code: 'exchange_rejected',
          details: {
            reason: 'insufficient_funds',
            exchange: { id: 'kalshi', status: 400, code: 'insufficient_balance' },
          },
        },
      });
    });

    it('S-51 turns a wrong stored key into 409 credentials_rejected, not into our own 401', async () => {
      const user = await aUser(stand.app);
      const { private_key } = stand.sandbox.addresses.kalshi;
      await storeCredentials(stand.app, user, 'kalshi', {
        access_key: 'b952bcbe-ec3b-4b5b-b8f9-11dae589608c',
        private_key,
      });
      const answer = await get('/kalshi/balance', await anApiKey(stand.app, user));
      expect(answer.status).toBe(409);
      expect(answer.body).toMatchObject({ error: { code: 'credentials_rejected' } });
    });
  });

  describe('Polymarket orders', () => {
    const wallet = (): SandboxWallet =>
      SandboxWallet.fromPrivateKey(stand.sandbox.addresses.polymarket.wallet_private_key);
    const terms = async (outcome: 0 | 1) => {
      const market = await tradable('polymarket');
      return { market, tokenId: market.outcomes[outcome]?.id ?? '', negRisk: market.refs.neg_risk === true };
    };

    it.each([
      [0, 'BUY', '0.02'],
      [1, 'BUY', '0.02'],
    ] as const)(
      'outcome %i %s: passes the wallet’s order on untouched, with owner and signature of the stored key',
      async (index, side, price) => {
        const { market, tokenId, negRisk } = await terms(index);
        const signed = wallet().signOrder({ tokenId, negRisk, side, price, size: '10' });
        const answer = await order('polymarket', { signed_order: signed });
        expect(answer.status).toBe(200);
        expect(sentOrders().at(-1)).toEqual({
          order: signed,
          owner: stand.sandbox.addresses.polymarket.api_key,
          orderType: 'GTC',
          postOnly: false,
          deferExec: false,
        });
        expect(answer.body).toMatchObject({
          exchange: 'polymarket',
          id: expect.stringMatching(/^0x[0-9a-f]{64}$/),
          client_order_id: null,
          market_id: market.id,
          outcome: { id: tokenId, index },
          side: 'buy',
          price,
          size: '10',
          filled_size: '0',
          status: 'open',
        });
      },
    );

    it.each([
      ['signed_order.maker', { maker: '0x' + '1'.repeat(40) }],
      ['signed_order.signer', { signer: '0x' + '1'.repeat(40) }],
      ['signed_order.signatureType', { signatureType: 2 }],
      ['signed_order.salt', { salt: '1e3' }],
      ['signed_order.side', { side: 0 }],
      ['signed_order.nonce', { nonce: '0' }],
      ['signed_order.signature', { signature: 'x' }],
    ])('refuses a bad %s with 400, and the exchange is not sent the order', async (field, change) => {
      const { tokenId, negRisk } = await terms(0);
      const before = sentOrders().length;
      const signed = wallet().signOrder({ tokenId, negRisk, side: 'BUY', price: '0.02', size: '10' });
      const answer = await order('polymarket', { signed_order: { ...signed, ...change } });
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({
        error: { details: { fields: expect.arrayContaining([expect.objectContaining({ field })]) } },
      });
      expect(sentOrders()).toHaveLength(before);
    });

    it('a changed amount is caught by the exchange: 422 exchange_rejected', async () => {
      const { tokenId, negRisk } = await terms(0);
      const signed = wallet().signOrder({ tokenId, negRisk, side: 'BUY', price: '0.02', size: '10' });
      const answer = await order('polymarket', { signed_order: { ...signed, takerAmount: '20000000' } });
      expect(answer.status).toBe(422);
      expect(answer.body).toMatchObject({ error: { code: 'exchange_rejected', details: { reason: 'invalid_order' } } });
    });

    it('contract.md 3 says what is wrong with a call before that no credentials are stored', async () => {
      const key = await anApiKey(stand.app, await aUser(stand.app));
      const { tokenId, negRisk } = await terms(0);
      const signed_order = wallet().signOrder({ tokenId, negRisk, side: 'BUY', price: '0.02', size: '10' });
      const calls: [status: number, answer: Promise<Response>][] = [
        [422, get('/polymarket/orders?status=closed', key)],
        [409, get('/polymarket/orders', key)],
        [400, order('polymarket', { signed_order, time_in_force: 'gtd' }, key)],
        [400, order('polymarket', { signed_order, time_in_force: 'fok', post_only: true }, key)],
        [409, order('polymarket', { signed_order }, key)],
      ];
      for (const [status, answer] of calls) expect((await answer).status).toBe(status);
    });

    it('contract.md 5.9 wants a session key for plain parameters: the stored credentials cannot sign an order', async () => {
      const { market } = await terms(0);
      const answer = await order('polymarket', {
        market_id: market.id,
        outcome: '0',
        side: 'buy',
        price: '0.02',
        size: '10',
      });
      expect([answer.status, answer.body]).toMatchObject([
        409,
        { error: { code: 'credentials_not_configured', details: { reason: 'session_key_required' } } },
      ]);
    });
  });

  it('checks in order: credential, scope, exchange, parameters', async () => {
    const read = await anApiKey(stand.app, await aUser(stand.app), ['read']);
    expect((await request(stand.app.url).post('/predictit/orders').send({})).status).toBe(401);
    expect((await order('predictit', {}, read)).status).toBe(403);
    expect((await order('predictit', {})).status).toBe(404);
    expect((await get('/predictit/markets?limit=0&x=1')).status).toBe(404);
    expect((await order('kalshi', {})).status).toBe(400);
  });

  it('signs with a clock corrected by the exchange: a host 90 s off still trades', async () => {
    const shifted = await startTestStand({}, () => new Date(Date.now() + 90_000));
    try {
      const { key } = await aTrader(shifted);
      for (const exchange of EXCHANGES) {
        const balance = await request(shifted.app.url).get(`/${exchange}/balance`).auth(key, bearer);
        expect([exchange, balance.status]).toEqual([exchange, 200]);
      }
    } finally {
      await shifted.close();
    }
  });
});

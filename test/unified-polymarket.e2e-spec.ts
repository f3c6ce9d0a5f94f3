import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request as ask, PolymarketTrader as Wallet } from '../sandbox/polymarket/trader.js';
import { order as compare } from './support/exact.js';
import * as poly from './support/polymarket-oracle.js';
import {
  BALANCE,
  BOOK,
  CANDLES,
  END,
  EVENT,
  EVENTS,
  expectReceived,
  FILLS,
  type Item,
  MARKET,
  MARKETS,
  NOW,
  ORDER,
  ORDERS,
  POSITIONS,
  RANGE,
  START,
  TRADES,
  UnifiedStand,
  without,
} from './support/unified-stand.js';

describe('the unified shape of both exchanges, field by field (contract.md 5, unified-schema.md)', () => {
  let api: UnifiedStand;

  beforeAll(async () => {
    api = await UnifiedStand.start();
  });

  afterAll(() => api.close());

  const KINDS = [
    ['v1', 'binary', false],
    ['v1', 'neg-risk', true],
    ['v2', 'binary', false],
    ['v2', 'neg-risk', true],
  ] as const;

  describe.each(KINDS)('polymarket %s %s', (version, _kind, negRisk) => {
    let own: Wallet;
    let open: poly.PolyMarket[];
    let market: poly.PolyMarket;
    const byId = new Map<string, poly.PolyMarket>();

    const urls = () => api.stand.sandbox.addresses.polymarket;
    const gamma = async <T>(path: string): Promise<T> => (await ask(`${urls().gamma_url}${path}`)).body as T;
    const data = async <T>(path: string): Promise<T> => (await ask(`${urls().data_url}${path}`)).body as T;
    const signed = async <T>(path: string): Promise<T> => (await own.call('GET', path)).body as T;
    const marketsOf = async (closed: boolean) =>
      (await gamma<{ markets: poly.PolyMarket[] }>(`/markets/keyset?limit=100&include_tag=true&closed=${closed}`))
        .markets;
    const eventsOf = async (closed: boolean) =>
      (await gamma<{ events: poly.PolyEvent[] }>(`/events/keyset?limit=100&closed=${closed}`)).events;
    const token = (index: 0 | 1): string => poly.polyOutcome(market, index).id;

    /** The CLOB has no prices of V2 outcomes here, so they are the Data API's. */
    const pricesOf = async (id: string, { from, to, fidelity }: { from: number; to: number; fidelity: number }) => {
      if (version === 'v1') {
        const query = `market=${id}&startTs=${from - 1}&endTs=${to}&fidelity=${fidelity}`;
        return ((await ask(`${urls().clob_url}/prices-history?${query}`)).body as { history: poly.PolyPoint[] })
          .history;
      }
      const query = `token_id=${id}&start=${from}&end=${to}&bucket_seconds=${fidelity * 60}&limit=10000`;
      const { data: points } = await data<{ data: { timestamp: number; price: number }[] }>(
        `/v2/prices-history?${query}`,
      );
      return points.map(({ timestamp: t, price: p }) => ({ t, p }));
    };

    const post = async (
      wallet: Wallet,
      terms: Parameters<Wallet['sign']>[0],
      orderType: 'GTC' | 'GTD' | 'FAK' = 'GTC',
    ) => {
      const { body } = await wallet.post(wallet.sign({ ...terms, negRisk: market.negRisk }), { orderType });
      expect(body).toMatchObject({ success: true, errorMsg: '' });
      return (body as { orderID: string }).orderID;
    };

    beforeAll(async () => {
      open = await marketsOf(false);
      for (const one of [...open, ...(await marketsOf(true))]) byId.set(one.id, one);
      const ofKind = open.filter((one) => one.version === version && one.negRisk === negRisk);
      const found = ofKind.find((one) => poly.isListed(one) && one.acceptingOrders && one.bestBid && one.bestAsk);
      if (found === undefined) throw new Error('no such market');
      market = found;
      const [clock, settled] = [
        () => NOW,
        (await marketsOf(true)).find((one) => one.version === version && poly.isListed(one)),
      ];
      const winning = settled === undefined ? '' : poly.polyOutcome(settled, 0).id;
      const account = api.stand.sandbox.polymarket.addAccount({ shares: { [winning]: '12.5' } });
      own = new Wallet(urls().clob_url, account, clock);
      const others = api.stand.sandbox.polymarket.addAccount({ shares: { [token(0)]: '50' } });
      const other = new Wallet(urls().clob_url, others, clock);
      const { api_key, secret, passphrase, wallet_address } = account;
      await api.callAs('polymarket', { api_key, secret, passphrase, wallet_address });
      const bid = Number(market.bestBid) + market.orderPriceMinTickSize;
      const price = bid.toFixed(3);
      await post(own, { tokenId: token(0), side: 'BUY', price: '0.99', size: '7' }, 'FAK');
      await post(own, { tokenId: token(1), side: 'BUY', price: '0.02', size: '10.5' });
      await post(own, { tokenId: token(0), side: 'SELL', price: '0.9', size: '6' });
      await post(own, { tokenId: token(0), side: 'BUY', price, size: '30' });
      await post(other, { tokenId: token(0), side: 'SELL', price, size: '8' });
      await post(other, { tokenId: token(1), side: 'BUY', price: (1 - bid).toFixed(3), size: '6' });
      const expiration = Math.floor(NOW.getTime() / 1_000) + 7_200;
      await post(own, { tokenId: token(0), side: 'BUY', price: '0.03', size: '5', expiration }, 'GTD');
      const gone = await post(own, { tokenId: token(0), side: 'BUY', price: '0.01', size: '5' });
      await own.call('DELETE', '/order', { orderID: gone });
      open = await marketsOf(false);
    });

    it('unified-schema.md 2 markets that are open, without those that take no orders', async () => {
      const answer = await api.list(MARKETS, '/polymarket/markets?limit=100');
      const expected = open
        .filter(poly.isListed)
        .map((one) => poly.polyMarket(one))
        .filter(({ tradable }) => tradable);
      expect(expected.length).toBeGreaterThan(5);
      expect(answer.data).toEqual(expected);
      expect(answer.next_cursor).toBeNull();
      expectReceived(answer);
    });

    it.each(['closed', 'settled'])('unified-schema.md 2 markets that are %s', async (status) => {
      const expected = (await marketsOf(true))
        .filter(poly.isListed)
        .map((one) => poly.polyMarket(one))
        .filter((one) => one.status === status);
      expect((await api.list(MARKETS, `/polymarket/markets?status=${status}&limit=100`)).data).toEqual(expected);
    });

    it('unified-schema.md 2 each market by condition id, Gamma id and slug', async () => {
      for (const one of byId.values()) {
        const fresh = [...open, ...(await marketsOf(true))].find(({ id }) => id === one.id) ?? one;
        if (!poly.isListed(one)) continue;
        for (const id of new Set([one.conditionId, poly.polyId(one), one.id, one.slug])) {
          const answer = await api.shaped(MARKET, `/polymarket/markets/${id}`);
          expect(without(answer, 'timestamp', 'timestamp_source')).toEqual(poly.polyMarket(fresh));
          expectReceived(answer);
        }
      }
    });

    it.each([
      ['open', false],
      ['settled', true],
    ] as const)('unified-schema.md 3 events that are %s, without placeholders', async (status, closed) => {
      const expected = (await eventsOf(closed)).map(poly.polyEvent);
      const answer = await api.list(EVENTS, `/polymarket/events?status=${status}&limit=100`);
      expect(expected.length).toBeGreaterThan(0);
      expect(answer.data).toEqual(expected);
      expectReceived(answer);
    });

    it('unified-schema.md 3 each event by id and slug', async () => {
      for (const event of [...(await eventsOf(false)), ...(await eventsOf(true))]) {
        for (const id of [event.id, event.slug]) {
          const answer = await api.shaped(EVENT, `/polymarket/events/${id}`);
          expect(without(answer, 'timestamp', 'timestamp_source')).toEqual(poly.polyEvent(event));
        }
      }
    });

    it('unified-schema.md 4 the book of both outcomes by every name, and cut to a depth', async () => {
      for (const index of [0, 1] as const) {
        const { id, label } = poly.polyOutcome(market, index);
        const book = (await ask(`${urls().clob_url}/book?token_id=${id}`)).body as poly.PolyBook;
        const expected = poly.polyBook(market, index, book);
        for (const outcome of [String(index), index === 0 ? 'yes' : 'NO', id, label.toUpperCase()]) {
          const path = `/polymarket/orderbooks?market_id=${poly.polyId(market)}&outcome=${encodeURIComponent(outcome)}`;
          expect(await api.shaped(BOOK, path)).toEqual(expected);
        }
        const path = `/polymarket/orderbooks?market_id=${market.slug}&outcome=${index}&depth=3`;
        const cut = await api.shaped(BOOK, path);
        expect(cut.asks).toEqual((expected as { asks: object[] }).asks.slice(0, 3));
      }
    });

    it('unified-schema.md 5 trades, without wallets and names', async () => {
      const { data: trades } = await data<{ data: poly.PolyTrade[] }>(
        `/v2/trades?condition=${poly.polyId(market)}&taker_only=true&limit=100`,
      );
      expect(trades.length).toBeGreaterThan(0);
      const answer = await api.list(TRADES, `/polymarket/trades?market_id=${market.conditionId}&limit=100`);
      expect(answer.data).toEqual(trades.map(poly.polyTrade));
      const told = JSON.stringify(answer.data);
      for (const { proxy_wallet } of trades) expect(told).not.toContain(proxy_wallet);
      expectReceived(answer);
    });

    it('contract.md 5.2 a cursor goes on under either width of the id', async () => {
      const { data: both } = await api.list(TRADES, `/polymarket/trades?market_id=${poly.polyId(market)}&limit=2`);
      const first = await api.list(TRADES, `/polymarket/trades?market_id=${poly.polyId(market)}&limit=1`);
      const cursor = encodeURIComponent(first.next_cursor ?? '');
      const path = `/polymarket/trades?market_id=${market.conditionId}&limit=1&cursor=${cursor}`;
      expect([...first.data, ...(await api.list(TRADES, path)).data]).toEqual(both);
    });

    it.each([
      [0, '1h', 5],
      [1, '1h', 5],
      [0, '1d', 30],
    ] as const)(
      'unified-schema.md 6 candlesticks of outcome %i by %s, of sampled prices',
      async (index, interval, fidelity) => {
        const seconds = interval === '1h' ? 3_600 : 86_400;
        const [from, to] = [START, END].map((time) => Math.ceil(time.getTime() / 1_000 / seconds) * seconds);
        const history = await pricesOf(token(index), { from: from ?? 0, to: to ?? 0, fidelity });
        const path = `/polymarket/candlesticks?market_id=${market.conditionId}&outcome=${index}&interval=${interval}`;
        const answer = await api.list(CANDLES, `${path}&${RANGE}`);
        const expected = poly.polyCandles(market, index, history, { from: from ?? 0, to: to ?? 0, seconds });
        expect(expected.length).toBeGreaterThan(1);
        expect(answer.data.map((candle) => without(candle, 'previous_close'))).toEqual(expected);
        const closes = answer.data.map(({ close }) => close);
        expect(answer.data.map(({ previous_close }) => previous_close)).toEqual([null, ...closes.slice(0, -1)]);
      },
    );

    it('unified-schema.md 7 orders, in the list and each by its id', async () => {
      const { data: orders } = await signed<{ data: poly.PolyOrder[] }>('/data/orders');
      expect(orders.map(({ size_matched }) => size_matched)).toContain('14');
      const expected = orders.map((order) => poly.polyOrder(order, market));
      expect((await api.list(ORDERS, '/polymarket/orders')).data).toEqual(expected);
      for (const [at, { id }] of orders.entries()) {
        expect(await api.shaped(ORDER, `/polymarket/orders/${id}`)).toEqual(expected[at]);
      }
    });

    it('unified-schema.md 8 fills, the own part of maker orders too', async () => {
      const { data: trades } = await signed<{ data: poly.PolyUserTrade[] }>(
        `/data/trades?maker_address=${own.account.wallet_address}`,
      );
      const expected = trades.flatMap((trade) => poly.polyFills(trade, market, own.credentials.apiKey));
      expect(expected.map((fill) => (fill as Item).role).sort()).toEqual(['maker', 'maker', 'taker']);
      expect((await api.list(FILLS, '/polymarket/fills')).data).toEqual(expected);
    });

    it('unified-schema.md 8 positions, redeemable ones too, and balance', async () => {
      const user = own.account.wallet_address;
      const { data: positions } = await data<{ data: poly.PolyPosition[] }>(
        `/v2/positions?user=${user}&filter_amount=0.000001&limit=100`,
      );
      expect(new Set(positions.map(({ redeemable }) => redeemable)).size).toBe(2);
      expect((await api.list(POSITIONS, '/polymarket/positions')).data).toEqual(positions.map(poly.polyPosition));
      const { balance } = await signed<{ balance: string }>(
        '/balance-allowance?asset_type=COLLATERAL&signature_type=0',
      );
      const { data: orders } = await signed<{ data: poly.PolyOrder[] }>('/data/orders');
      const { data: worth } = await data<{ data: { value: number } }>(`/v2/value?user=${user}`);
      const answer = await api.shaped(BALANCE, '/polymarket/balance');
      expect(answer).toEqual(poly.polyBalance(balance, orders, worth.value));
      expect(compare(answer.reserved as string, '0')).toBe(1);
    });

    it.each([
      ['gtc', '0.02', 'BUY', { status: 'open', filled_size: '0', remaining_size: '5' }],
      ['gtd', '0.02', 'BUY', { status: 'open', filled_size: '0', remaining_size: '5' }],
      // It spends what was signed, which buys more at the better prices of the book.
      [
        'ioc',
        '0.9',
        'BUY',
        { status: 'filled', filled_size: expect.stringMatching(/^(?:[5-9]|\d{2,})/), remaining_size: '0' },
      ],
      ['fok', '0.05', 'SELL', { status: 'filled', filled_size: '5', remaining_size: '0' }],
    ] as const)(
      'unified-schema.md 7 creating a %s order, whose cancel tells its end',
      async (time_in_force, price, side, state) => {
        const expiration = time_in_force === 'gtd' ? Math.floor(NOW.getTime() / 1_000) + 7_200 : 0;
        const signed_order = own.sign({
          tokenId: token(0),
          side,
          price,
          size: '5',
          expiration,
          negRisk: market.negRisk,
        });
        const created = await api.shaped(ORDERS, '/polymarket/orders', 'post', { signed_order, time_in_force });
        expect(created).toMatchObject({
          client_order_id: null,
          market_id: poly.polyId(market),
          outcome: poly.polyOutcome(market, 0),
          side: side.toLowerCase(),
          price,
          size: '5',
          time_in_force,
          post_only: false,
          currency: 'PUSD',
          expires_at: expiration === 0 ? null : new Date(expiration * 1_000).toISOString(),
          ...state,
        });
        const gone = await api.shaped(ORDER, `/polymarket/orders/${created.id as string}`, 'delete');
        expect(gone.status).toBe(state.status === 'open' ? 'cancelled' : state.status);
      },
    );

    it('contract.md 5.6 an order signed under the other protocol’s domain is refused, with the right one named', async () => {
      const terms = { tokenId: token(0), side: 'BUY', price: '0.02', size: '5', negRisk: market.negRisk } as const;
      const signed_order = own.sign({ ...terms, protocol: version === 'v1' ? 'v2' : 'v1' });
      const answer = await api.call('post', '/polymarket/orders', { signed_order });
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({
        error: {
          code: 'bad_request',
          message: expect.stringContaining(`version "${version === 'v1' ? '2' : '3'}"`),
          details: { reason: 'wrong_domain', fields: [{ field: 'signed_order.signature' }] },
        },
      });
    });

    it('unified-schema.md 7 cancelling an order', async () => {
      const terms = { tokenId: token(1), side: 'BUY', price: '0.01', size: '5', negRisk: market.negRisk } as const;
      const { id } = await api.shaped(ORDERS, '/polymarket/orders', 'post', { signed_order: own.sign(terms) });
      const { timestamp, ...answer } = await api.shaped(ORDER, `/polymarket/orders/${id as string}`, 'delete');
      expect(answer).toEqual({
        exchange: 'polymarket',
        id,
        status: 'cancelled',
        cancelled_size: null,
        filled_size: null,
      });
      expect(Math.abs(Date.parse(timestamp as string) - NOW.getTime())).toBeLessThan(10_000);
    });

    it('unified-schema.md 7 cancelling all orders', async () => {
      const { data: orders } = await signed<{ data: poly.PolyOrder[] }>('/data/orders');
      const answer = await api.shaped(ORDERS, '/polymarket/orders', 'delete');
      expect([...(answer.cancelled as string[])].sort()).toEqual(orders.map(({ id }) => id).sort());
      expect(answer.not_cancelled).toEqual([]);
      expect(await api.shaped(ORDERS, '/polymarket/orders', 'delete')).toEqual({ cancelled: [], not_cancelled: [] });
    });
  });
});

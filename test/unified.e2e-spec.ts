import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { KalshiTrader } from '../sandbox/kalshi/trader.js';
import { request as ask, PolymarketTrader as Wallet } from '../sandbox/polymarket/trader.js';
import { ApiShapes } from './support/api-shapes.js';
import { isQuotient, order as compare, plus } from './support/exact.js';
import * as kalshi from './support/kalshi-oracle.js';
import * as poly from './support/polymarket-oracle.js';
import { startTestStand, storeCredentials, type TestStand } from './support/sandbox.js';
import { anApiKey, aUser } from './support/users.js';

const HOUR = 3_600_000;
/** The exchanges' clock stands still, so that two readings of them are the same. */
const NOW = new Date(Math.floor(Date.now() / 1_000) * 1_000 + 123);
const END = new Date(Math.floor(NOW.getTime() / HOUR) * HOUR + HOUR);
const START = new Date(END.getTime() - 72 * HOUR);
const RANGE = `start=${START.toISOString()}&end=${END.toISOString()}`;

const TODAY = 'KXHIGHNY-TODAY-B55.5';
const OTHER = 'KXHIGHNY-TODAY-T58';

type Item = Record<string, unknown>;

interface List {
  readonly data: Item[];
  readonly next_cursor: string | null;
  readonly timestamp: string;
  readonly timestamp_source: string;
}

describe('the unified shape of both exchanges, field by field (DESIGN 5, unified.md)', () => {
  let stand: TestStand;
  let shapes: ApiShapes;
  let key: string;

  beforeAll(async () => {
    stand = await startTestStand({}, () => NOW);
    shapes = await ApiShapes.of(stand.app.url);
  });

  afterAll(() => stand.close());

  const call = (method: 'get' | 'post' | 'delete', path: string, body?: object): Promise<Response> => {
    const agent = request(stand.app.url);
    const sent = agent[method](path).auth(key, { type: 'bearer' }).send(body);
    return sent.then((answer) => answer);
  };

  /** A 200 in the documented shape: every field there, of its type and form, and none beside. */
  const shaped = async (template: string, path: string, method: 'get' | 'post' | 'delete' = 'get', body?: object) => {
    const answer = await call(method, path, body);
    expect([path, answer.status, answer.status === 200 ? '' : answer.text]).toEqual([path, 200, '']);
    expect(shapes.faults(method, template, answer.body)).toEqual([]);
    return answer.body as Item;
  };

  const list = async (template: string, path: string): Promise<List> =>
    (await shaped(template, path)) as unknown as List;

  /** The age of what tells no time of its own: when it was received. */
  const expectReceived = ({ timestamp, timestamp_source }: Item | List): void => {
    expect(timestamp_source).toBe('received');
    expect(Math.abs(Date.parse(String(timestamp)) - Date.now())).toBeLessThan(5_000);
  };

  const without = (item: Item, ...fields: string[]): Item =>
    Object.fromEntries(Object.entries(item).filter(([name]) => !fields.includes(name)));

  const MARKETS = '/{exchange}/markets';
  const MARKET = '/{exchange}/markets/{market_id}';
  const EVENTS = '/{exchange}/events';
  const EVENT = '/{exchange}/events/{event_id}';
  const BOOK = '/{exchange}/orderbooks';
  const TRADES = '/{exchange}/trades';
  const CANDLES = '/{exchange}/candlesticks';
  const ORDERS = '/{exchange}/orders';
  const ORDER = '/{exchange}/orders/{order_id}';
  const FILLS = '/{exchange}/fills';
  const POSITIONS = '/{exchange}/positions';
  const BALANCE = '/{exchange}/balance';

  describe('kalshi', () => {
    let own: KalshiTrader;

    beforeAll(async () => {
      const account = await stand.sandbox.kalshi.addAccount();
      const user = await aUser(stand.app);
      const { access_key, private_key } = account;
      await storeCredentials(stand.app, user, 'kalshi', { access_key, private_key });
      key = await anApiKey(stand.app, user);
      own = new KalshiTrader(account, () => NOW.getTime());
      const other = new KalshiTrader(await stand.sandbox.kalshi.addAccount(), () => NOW.getTime());
      const expiration_time = Math.floor(NOW.getTime() / 1_000) + 7_200;
      await placed(own.order({ price: '0.4400', count: '5.00', time_in_force: 'immediate_or_cancel' }));
      await placed(own.order({ price: '0.0200', count: '10.00', expiration_time }));
      await placed(own.order({ price: '0.4300', count: '10.50' }));
      await placed(other.order({ price: '0.4300', count: '4.25', side: 'ask' }));
      await placed(own.order({ ticker: OTHER, price: '0.0600', count: '3.00', side: 'ask' }));
      const gone = await placed(own.order({ price: '0.0300', count: '2.00' }));
      await own.call('DELETE', `/portfolio/events/orders/${gone}`);
    });

    const placed = async (answer: ReturnType<KalshiTrader['order']>): Promise<string> => {
      const { status, body } = await answer;
      expect([status, status === 201 ? '' : body]).toEqual([201, '']);
      return (body as { order_id: string }).order_id;
    };
    const raw = async <T>(path: string, query = ''): Promise<T> => (await own.open(path, query)).body as T;
    const signed = async <T>(path: string, query = ''): Promise<T> => (await own.get(path, query)).body as T;
    const marketsOf = async (query: string, base = '/markets') =>
      (await raw<{ markets: kalshi.KalshiMarket[] }>(base, query)).markets;
    const oneEvent = async (id: string) =>
      (await raw<{ event: kalshi.KalshiEvent }>(`/events/${id}`, '?with_nested_markets=true')).event;

    it.each(['open', 'paused', 'closed', 'unopened', 'settled'])('unified.md 2 markets that are %s', async (status) => {
      const live = await marketsOf(`?status=${status}&limit=100`);
      const old = status === 'settled' ? await marketsOf('?limit=100', '/historical/markets') : [];
      const answer = await list(MARKETS, `/kalshi/markets?status=${status}&limit=100`);
      expect(live.length).toBeGreaterThan(0);
      expect(answer.data).toEqual([...live, ...old].map((market) => kalshi.kalshiMarket(market)));
      expect(answer.next_cursor).toBeNull();
      expectReceived(answer);
    });

    it.each([TODAY, 'KXBTCMAX-YEAR-T100K', 'KXFEDDECISION-NEXT-C26', 'KXFEDDECISION-PAST-H0'])(
      'unified.md 2 the market %s, with what its event and series tell',
      async (ticker) => {
        const live = await own.open(`/markets/${ticker}`);
        const { market } = (live.status === 200 ? live : await own.open(`/historical/markets/${ticker}`)).body as {
          market: kalshi.KalshiMarket;
        };
        const event = await oneEvent(market.event_ticker);
        const { series } = await raw<{ series: kalshi.KalshiSeries }>(`/series/${event.series_ticker}`);
        const answer = await shaped(MARKET, `/kalshi/markets/${ticker}`);
        expect(without(answer, 'timestamp', 'timestamp_source')).toEqual(kalshi.kalshiMarket(market, event, series));
        expectReceived(answer);
      },
    );

    it.each(['open', 'closed', 'settled', 'unopened'])('unified.md 3 events that are %s', async (status) => {
      const { events } = await raw<{ events: kalshi.KalshiEvent[] }>('/events', `?status=${status}&limit=100`);
      expect(events.length).toBeGreaterThan(0);
      const answer = await list(EVENTS, `/kalshi/events?status=${status}&limit=100`);
      expect(answer.data).toEqual(events.map((event) => kalshi.kalshiEvent(event, status)));
      expectReceived(answer);
    });

    it.each(['KXHIGHNY-TODAY', 'KXBTCMAX-YEAR', 'KXFEDDECISION-PAST'])(
      'unified.md 3 the event %s with all its markets, archived ones too',
      async (id) => {
        const event = await oneEvent(id);
        const old = await marketsOf(`?event_ticker=${id}`, '/historical/markets');
        const answer = await shaped(EVENT, `/kalshi/events/${id}`);
        expect(without(answer, 'timestamp', 'timestamp_source')).toEqual(
          kalshi.kalshiEvent(event, 'settled', [...(event.markets ?? []), ...old]),
        );
      },
    );

    it.each([
      ['0', 0],
      ['no', 1],
      [`${TODAY}:no`, 1],
      ['Yes', 0],
    ] as const)('unified.md 4 the book of outcome %s', async (outcome, index) => {
      const { orderbook_fp: book } = await raw<{ orderbook_fp: kalshi.KalshiBook }>(`/markets/${TODAY}/orderbook`);
      const answer = await shaped(BOOK, `/kalshi/orderbooks?market_id=${TODAY}&outcome=${outcome}`);
      const expected = kalshi.kalshiBook(TODAY, index, book);
      expect(answer).toMatchObject(expected);
      expectReceived(answer);
      const top = await shaped(BOOK, `/kalshi/orderbooks?market_id=${TODAY}&outcome=${outcome}&depth=2`);
      expect([top.bids, top.asks]).toEqual([
        (answer.bids as object[]).slice(0, 2),
        (answer.asks as object[]).slice(0, 2),
      ]);
    });

    it('unified.md 5 trades', async () => {
      const { trades } = await raw<{ trades: kalshi.KalshiTrade[] }>('/markets/trades', `?ticker=${TODAY}&limit=100`);
      expect(new Set(trades.map(({ taker_outcome_side }) => taker_outcome_side)).size).toBe(2);
      const answer = await list(TRADES, `/kalshi/trades?market_id=${TODAY}&limit=100`);
      expect(answer.data).toEqual(trades.map(kalshi.kalshiTrade));
      expectReceived(answer);
    });

    it.each([0, 1] as const)('unified.md 6 candlesticks of outcome %i', async (index) => {
      const [from, to] = [START.getTime() / 1_000 + 3_600, END.getTime() / 1_000];
      const { markets } = await raw<{ markets: { candlesticks: kalshi.KalshiCandle[] }[] }>(
        '/markets/candlesticks',
        `?market_tickers=${TODAY}&start_ts=${from}&end_ts=${to}&period_interval=60`,
      );
      const answer = await list(CANDLES, `/kalshi/candlesticks?market_id=${TODAY}&outcome=${index}&${RANGE}`);
      const candles = markets[0]?.candlesticks ?? [];
      expect(candles.length).toBeGreaterThan(3);
      expect(answer.data).toEqual(candles.map((candle) => kalshi.kalshiCandle(TODAY, index, candle)));
      expect(answer.next_cursor).toBeNull();
    });

    it.each([
      ['open', ['resting']],
      ['closed', ['executed', 'canceled']],
    ])('unified.md 7 orders that are %s', async (status, statuses) => {
      const { orders } = await signed<{ orders: kalshi.KalshiOrder[] }>('/portfolio/orders', '?limit=100');
      const own = orders.filter((order) => statuses.includes(order.status));
      expect(own.length).toBeGreaterThan(1);
      const answer = await list(ORDERS, `/kalshi/orders?status=${status}`);
      expect(answer.data.map((order) => without(order, 'average_fill_price'))).toEqual(own.map(kalshi.kalshiOrder));
      expect(answer.next_cursor).toBeNull();
    });

    it('unified.md 7 each order by its id, with the average price of its fills', async () => {
      const { orders } = await signed<{ orders: kalshi.KalshiOrder[] }>('/portfolio/orders', '?limit=100');
      for (const order of orders) {
        const answer = await shaped(ORDER, `/kalshi/orders/${order.order_id}`);
        expect(without(answer, 'average_fill_price')).toEqual(kalshi.kalshiOrder(order));
        const cost = plus(order.taker_fill_cost_dollars, order.maker_fill_cost_dollars);
        const average = answer.average_fill_price as string | null;
        const unfilled = Number(order.fill_count_fp) === 0;
        expect(unfilled ? average === null : isQuotient(average, cost, order.fill_count_fp)).toBe(true);
      }
    });

    it('unified.md 8 fills, positions and balance', async () => {
      const { fills } = await signed<{ fills: kalshi.KalshiFill[] }>('/portfolio/fills');
      expect(new Set(fills.map(({ is_taker }) => is_taker)).size).toBe(2);
      expect((await list(FILLS, '/kalshi/fills')).data).toEqual(fills.map(kalshi.kalshiFill));
      const { market_positions: held } = await signed<{ market_positions: kalshi.KalshiPosition[] }>(
        '/portfolio/positions',
      );
      const positions = (await list(POSITIONS, '/kalshi/positions')).data;
      expect(held).toHaveLength(2);
      expect(positions.map((position) => without(position, 'average_price'))).toEqual(held.map(kalshi.kalshiPosition));
      for (const { average_price, cost_basis, size } of positions) {
        expect(isQuotient(average_price as string, cost_basis as string, size as string)).toBe(true);
      }
      const balance = await signed<kalshi.KalshiBalance>('/portfolio/balance');
      expect(await shaped(BALANCE, '/kalshi/balance')).toEqual(kalshi.kalshiBalance(balance));
    });

    it.each([
      ['gtc', { price: '0.0100' }, { status: 'open', filled_size: '0', remaining_size: '3', expires_at: null }],
      [
        'gtd',
        { price: '0.0100', expires_at: new Date(NOW.getTime() + HOUR).toISOString() },
        { status: 'open', expires_at: new Date(Math.floor((NOW.getTime() + HOUR) / 1_000) * 1_000).toISOString() },
      ],
      ['ioc', { price: '0.010' }, { status: 'cancelled', filled_size: '0', remaining_size: '0' }],
      ['fok', { price: '0.44', post_only: false }, { status: 'filled', filled_size: '3', average_fill_price: '0.44' }],
    ] as const)(
      'unified.md 7 creating a %s order, which can be cancelled while it rests',
      async (time_in_force, terms, state) => {
        const order = { market_id: TODAY, outcome: '0', side: 'buy', size: '3.00', time_in_force, ...terms };
        const created = await shaped(ORDERS, '/kalshi/orders', 'post', order);
        expect(created).toMatchObject({
          market_id: TODAY,
          outcome: kalshi.kalshiOutcome(TODAY, 0),
          side: 'buy',
          price: time_in_force === 'fok' ? '0.44' : '0.01',
          size: '3',
          time_in_force,
          post_only: false,
          currency: 'USD',
          type: 'limit',
          created_at: NOW.toISOString(),
          ...state,
        });
        const gone = await call('delete', `/kalshi/orders/${created.id as string}`);
        expect(gone.status).toBe(state.status === 'open' ? 200 : 404);
      },
    );

    it('unified.md 7 cancelling an order', async () => {
      const terms = { market_id: TODAY, outcome: 'no', side: 'sell', size: '3', price: '0.99' };
      const { id } = await shaped(ORDERS, '/kalshi/orders', 'post', terms);
      expect(await shaped(ORDER, `/kalshi/orders/${id as string}`, 'delete')).toEqual({
        exchange: 'kalshi',
        id,
        status: 'cancelled',
        cancelled_size: '3',
        timestamp: NOW.toISOString(),
      });
    });

    it('unified.md 7 cancelling all orders', async () => {
      const { orders } = await signed<{ orders: kalshi.KalshiOrder[] }>('/portfolio/orders', '?status=resting');
      const answer = await shaped(ORDERS, '/kalshi/orders', 'delete');
      expect(answer).toEqual({
        cancelled: expect.arrayContaining(orders.map(({ order_id }) => order_id)),
        not_cancelled: [],
      });
      expect(answer.cancelled).toHaveLength(orders.length);
      expect(await shaped(ORDERS, '/kalshi/orders', 'delete')).toEqual({ cancelled: [], not_cancelled: [] });
    });
  });

  describe('polymarket', () => {
    let own: Wallet;
    let open: poly.PolyMarket[];
    let market: poly.PolyMarket;
    const byId = new Map<string, poly.PolyMarket>();

    const urls = () => stand.sandbox.addresses.polymarket;
    const gamma = async <T>(path: string): Promise<T> => (await ask(`${urls().gamma_url}${path}`)).body as T;
    const data = async <T>(path: string): Promise<T> => (await ask(`${urls().data_url}${path}`)).body as T;
    const signed = async <T>(path: string): Promise<T> => (await own.call('GET', path)).body as T;
    const marketsOf = async (closed: boolean) =>
      (await gamma<{ markets: poly.PolyMarket[] }>(`/markets/keyset?limit=100&include_tag=true&closed=${closed}`))
        .markets;
    const eventsOf = async (closed: boolean) =>
      (await gamma<{ events: poly.PolyEvent[] }>(`/events/keyset?limit=100&closed=${closed}`)).events;
    const token = (index: 0 | 1): string => poly.polyOutcome(market, index).id;

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
      for (const one of [...open, ...(await marketsOf(true))]) byId.set(one.conditionId, one);
      const found = open.find(({ feesEnabled, acceptingOrders, bestAsk }) => feesEnabled && acceptingOrders && bestAsk);
      if (found === undefined) throw new Error('no market with fees');
      market = found;
      const [clock, settled] = [() => NOW, (await marketsOf(true)).at(-1)];
      const winning = settled === undefined ? '' : poly.polyOutcome(settled, 0).id;
      const account = stand.sandbox.polymarket.addAccount({ shares: { [winning]: '12.5' } });
      own = new Wallet(urls().clob_url, account, clock);
      const others = stand.sandbox.polymarket.addAccount({ shares: { [token(0)]: '50' } });
      const other = new Wallet(urls().clob_url, others, clock);
      const user = await aUser(stand.app);
      const { api_key, secret, passphrase, wallet_address } = account;
      await storeCredentials(stand.app, user, 'polymarket', { api_key, secret, passphrase, wallet_address });
      key = await anApiKey(stand.app, user);
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

    it('unified.md 2 markets that are open, without those that take no orders', async () => {
      const answer = await list(MARKETS, '/polymarket/markets?limit=100');
      const listed = open.filter(({ negRiskOther }) => negRiskOther !== true);
      const expected = listed.map((one) => poly.polyMarket(one)).filter(({ tradable }) => tradable);
      expect(expected.length).toBeGreaterThan(5);
      expect(answer.data).toEqual(expected);
      expect(answer.next_cursor).toBeNull();
      expectReceived(answer);
    });

    it.each(['closed', 'settled'])('unified.md 2 markets that are %s', async (status) => {
      const expected = (await marketsOf(true))
        .map((one) => poly.polyMarket(one))
        .filter((one) => one.status === status);
      expect((await list(MARKETS, `/polymarket/markets?status=${status}&limit=100`)).data).toEqual(expected);
    });

    it('unified.md 2 each market by condition id, Gamma id and slug', async () => {
      for (const one of byId.values()) {
        const fresh = [...open, ...(await marketsOf(true))].find(({ id }) => id === one.id) ?? one;
        for (const id of [one.conditionId, one.id, one.slug]) {
          const answer = await shaped(MARKET, `/polymarket/markets/${id}`);
          expect(without(answer, 'timestamp', 'timestamp_source')).toEqual(poly.polyMarket(fresh));
          expectReceived(answer);
        }
      }
    });

    it.each([
      ['open', false],
      ['settled', true],
    ] as const)('unified.md 3 events that are %s, without placeholders', async (status, closed) => {
      const expected = (await eventsOf(closed)).map(poly.polyEvent);
      const answer = await list(EVENTS, `/polymarket/events?status=${status}&limit=100`);
      expect(expected.length).toBeGreaterThan(0);
      expect(answer.data).toEqual(expected);
      expectReceived(answer);
    });

    it('unified.md 3 each event by id and slug', async () => {
      for (const event of [...(await eventsOf(false)), ...(await eventsOf(true))]) {
        for (const id of [event.id, event.slug]) {
          const answer = await shaped(EVENT, `/polymarket/events/${id}`);
          expect(without(answer, 'timestamp', 'timestamp_source')).toEqual(poly.polyEvent(event));
        }
      }
    });

    it('unified.md 4 the book of both outcomes by every name, and cut to a depth', async () => {
      for (const index of [0, 1] as const) {
        const { id, label } = poly.polyOutcome(market, index);
        const book = (await ask(`${urls().clob_url}/book?token_id=${id}`)).body as poly.PolyBook;
        const expected = poly.polyBook(market, index, book);
        for (const outcome of [String(index), index === 0 ? 'yes' : 'NO', id, label.toUpperCase()]) {
          const path = `/polymarket/orderbooks?market_id=${market.conditionId}&outcome=${encodeURIComponent(outcome)}`;
          expect(await shaped(BOOK, path)).toEqual(expected);
        }
        const path = `/polymarket/orderbooks?market_id=${market.slug}&outcome=${index}&depth=3`;
        const cut = await shaped(BOOK, path);
        expect(cut.asks).toEqual((expected as { asks: object[] }).asks.slice(0, 3));
      }
    });

    it('unified.md 5 trades, without wallets and names', async () => {
      const trades = await data<poly.PolyTrade[]>(`/trades?market=${market.conditionId}&limit=100`);
      const answer = await list(TRADES, `/polymarket/trades?market_id=${market.conditionId}&limit=100`);
      expect(answer.data).toEqual(trades.map(poly.polyTrade));
      const told = JSON.stringify(answer.data);
      for (const { proxyWallet } of trades) expect(told).not.toContain(proxyWallet);
      expectReceived(answer);
    });

    it.each([
      [0, '1h', 5],
      [1, '1h', 5],
      [0, '1d', 30],
    ] as const)(
      'unified.md 6 candlesticks of outcome %i by %s, of sampled prices',
      async (index, interval, fidelity) => {
        const seconds = interval === '1h' ? 3_600 : 86_400;
        const [from, to] = [START, END].map((time) => Math.ceil(time.getTime() / 1_000 / seconds) * seconds);
        const query = `market=${token(index)}&startTs=${(from ?? 0) - 1}&endTs=${to}&fidelity=${fidelity}`;
        const { history } = (await ask(`${urls().clob_url}/prices-history?${query}`)).body as {
          history: poly.PolyPoint[];
        };
        const path = `/polymarket/candlesticks?market_id=${market.conditionId}&outcome=${index}&interval=${interval}`;
        const answer = await list(CANDLES, `${path}&${RANGE}`);
        const expected = poly.polyCandles(market, index, history, { from: from ?? 0, to: to ?? 0, seconds });
        expect(expected.length).toBeGreaterThan(1);
        expect(answer.data.map((candle) => without(candle, 'previous_close'))).toEqual(expected);
        const closes = answer.data.map(({ close }) => close);
        expect(answer.data.map(({ previous_close }) => previous_close)).toEqual([null, ...closes.slice(0, -1)]);
      },
    );

    it('unified.md 7 orders, in the list and each by its id', async () => {
      const { data: orders } = await signed<{ data: poly.PolyOrder[] }>('/data/orders');
      expect(orders.map(({ size_matched }) => size_matched)).toContain('14');
      const expected = orders.map((order) => poly.polyOrder(order, market));
      expect((await list(ORDERS, '/polymarket/orders')).data).toEqual(expected);
      for (const [at, { id }] of orders.entries()) {
        expect(await shaped(ORDER, `/polymarket/orders/${id}`)).toEqual(expected[at]);
      }
    });

    it('unified.md 8 fills, the own part of maker orders too', async () => {
      const { data: trades } = await signed<{ data: poly.PolyUserTrade[] }>(
        `/data/trades?maker_address=${own.account.wallet_address}`,
      );
      const expected = trades.flatMap((trade) => poly.polyFills(trade, market, own.credentials.apiKey));
      expect(expected.map((fill) => (fill as Item).role).sort()).toEqual(['maker', 'maker', 'taker']);
      expect((await list(FILLS, '/polymarket/fills')).data).toEqual(expected);
    });

    it('unified.md 8 positions, redeemable ones too, and balance', async () => {
      const user = own.account.wallet_address;
      const positions = await data<poly.PolyPosition[]>(`/positions?user=${user}&sizeThreshold=0&limit=100`);
      expect(new Set(positions.map(({ redeemable }) => redeemable)).size).toBe(2);
      expect((await list(POSITIONS, '/polymarket/positions')).data).toEqual(positions.map(poly.polyPosition));
      const { balance } = await signed<{ balance: string }>(
        '/balance-allowance?asset_type=COLLATERAL&signature_type=0',
      );
      const { data: orders } = await signed<{ data: poly.PolyOrder[] }>('/data/orders');
      const [worth] = await data<{ value: number }[]>(`/value?user=${user}`);
      const answer = await shaped(BALANCE, '/polymarket/balance');
      expect(answer).toEqual(poly.polyBalance(balance, orders, worth?.value ?? 0));
      expect(compare(answer.reserved as string, '0')).toBe(1);
    });

    it.each([
      ['gtc', '0.011', 'BUY', { status: 'open', filled_size: '0', remaining_size: '5' }],
      ['gtd', '0.011', 'BUY', { status: 'open', filled_size: '0', remaining_size: '5' }],
      ['ioc', '0.9', 'BUY', { status: 'filled', filled_size: '5', remaining_size: '0' }],
      ['fok', '0.05', 'SELL', { status: 'filled', filled_size: '5', remaining_size: '0' }],
    ] as const)(
      'unified.md 7 creating a %s order, which can be cancelled while it rests',
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
        const created = await shaped(ORDERS, '/polymarket/orders', 'post', { signed_order, time_in_force });
        expect(created).toMatchObject({
          client_order_id: null,
          market_id: market.conditionId,
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
        const gone = await call('delete', `/polymarket/orders/${created.id as string}`);
        expect(gone.status).toBe(state.status === 'open' ? 200 : 404);
      },
    );

    it('unified.md 7 cancelling an order', async () => {
      const terms = { tokenId: token(1), side: 'BUY', price: '0.01', size: '5', negRisk: market.negRisk } as const;
      const { id } = await shaped(ORDERS, '/polymarket/orders', 'post', { signed_order: own.sign(terms) });
      const { timestamp, ...answer } = await shaped(ORDER, `/polymarket/orders/${id as string}`, 'delete');
      expect(answer).toEqual({ exchange: 'polymarket', id, status: 'cancelled', cancelled_size: null });
      expect(Math.abs(Date.parse(timestamp as string) - NOW.getTime())).toBeLessThan(10_000);
    });

    it('unified.md 7 cancelling all orders', async () => {
      const { data: orders } = await signed<{ data: poly.PolyOrder[] }>('/data/orders');
      const answer = await shaped(ORDERS, '/polymarket/orders', 'delete');
      expect([...(answer.cancelled as string[])].sort()).toEqual(orders.map(({ id }) => id).sort());
      expect(answer.not_cancelled).toEqual([]);
      expect(await shaped(ORDERS, '/polymarket/orders', 'delete')).toEqual({ cancelled: [], not_cancelled: [] });
    });
  });

  it('DESIGN 5 the document names every endpoint of the table, and no other', () => {
    const reads = [MARKETS, MARKET, EVENTS, EVENT, BOOK, TRADES, CANDLES, ORDERS, ORDER, FILLS, POSITIONS, BALANCE];
    const changes = [`POST ${ORDERS}`, `DELETE ${ORDERS}`, `DELETE ${ORDER}`];
    expect(shapes.operationsUnder('/{exchange}/')).toEqual([...reads.map((path) => `GET ${path}`), ...changes].sort());
  });
});

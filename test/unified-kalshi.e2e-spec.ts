import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KalshiTrader } from '../sandbox/kalshi/trader.js';
import { isQuotient, plus } from './support/exact.js';
import * as kalshi from './support/kalshi-oracle.js';
import {
  BALANCE,
  BOOK,
  CANDLES,
  END,
  EVENT,
  EVENTS,
  expectReceived,
  FILLS,
  HOUR,
  MARKET,
  MARKETS,
  NOW,
  ORDER,
  ORDERS,
  POSITIONS,
  RANGE,
  START,
  TRADES,
  TRANSFER,
  TRANSFERS,
  UnifiedStand,
  without,
} from './support/unified-stand.js';

const TODAY = 'KXHIGHNY-TODAY-B55.5';
const OTHER = 'KXHIGHNY-TODAY-T58';

describe('the unified shape of both exchanges, field by field (contract.md 5, unified-schema.md)', () => {
  let api: UnifiedStand;

  beforeAll(async () => {
    api = await UnifiedStand.start();
  });

  afterAll(() => api.close());

  describe('kalshi', () => {
    let own: KalshiTrader;

    beforeAll(async () => {
      const account = await api.stand.sandbox.kalshi.addAccount();
      const { access_key, private_key } = account;
      await api.callAs('kalshi', { access_key, private_key });
      own = new KalshiTrader(account, () => NOW.getTime());
      const other = new KalshiTrader(await api.stand.sandbox.kalshi.addAccount(), () => NOW.getTime());
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

    it.each(['open', 'paused', 'closed', 'unopened', 'settled'])(
      'unified-schema.md 2 markets that are %s',
      async (status) => {
        const live = await marketsOf(`?status=${status}&limit=100&mve_filter=exclude`);
        const old = status === 'settled' ? await marketsOf('?limit=100', '/historical/markets') : [];
        const answer = await api.list(MARKETS, `/kalshi/markets?status=${status}&limit=100`);
        expect(live.length).toBeGreaterThan(0);
        expect(answer.data).toEqual([...live, ...old].map((market) => kalshi.kalshiMarket(market)));
        expect(answer.next_cursor).toBeNull();
        expectReceived(answer);
      },
    );

    it.each([TODAY, 'KXBTCMAX-YEAR-T100K', 'KXFEDDECISION-NEXT-C26', 'KXFEDDECISION-PAST-H0'])(
      'unified-schema.md 2 the market %s, with what its event and series tell',
      async (ticker) => {
        const live = await own.open(`/markets/${ticker}`);
        const { market } = (live.status === 200 ? live : await own.open(`/historical/markets/${ticker}`)).body as {
          market: kalshi.KalshiMarket;
        };
        const event = await oneEvent(market.event_ticker);
        const { series } = await raw<{ series: kalshi.KalshiSeries }>(`/series/${event.series_ticker}`);
        const answer = await api.shaped(MARKET, `/kalshi/markets/${ticker}`);
        expect(without(answer, 'timestamp', 'timestamp_source')).toEqual(kalshi.kalshiMarket(market, event, series));
        expectReceived(answer);
      },
    );

    it.each(['open', 'closed', 'settled', 'unopened'])('unified-schema.md 3 events that are %s', async (status) => {
      const { events } = await raw<{ events: kalshi.KalshiEvent[] }>('/events', `?status=${status}&limit=100`);
      expect(events.length).toBeGreaterThan(0);
      const answer = await api.list(EVENTS, `/kalshi/events?status=${status}&limit=100`);
      expect(answer.data).toEqual(events.map((event) => kalshi.kalshiEvent(event, status)));
      expectReceived(answer);
    });

    it.each(['KXHIGHNY-TODAY', 'KXBTCMAX-YEAR', 'KXFEDDECISION-PAST'])(
      'unified-schema.md 3 the event %s with all its markets, archived ones too',
      async (id) => {
        const event = await oneEvent(id);
        const old = await marketsOf(`?event_ticker=${id}`, '/historical/markets');
        const answer = await api.shaped(EVENT, `/kalshi/events/${id}`);
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
    ] as const)('unified-schema.md 4 the book of outcome %s', async (outcome, index) => {
      const { orderbook_fp: book } = await raw<{ orderbook_fp: kalshi.KalshiBook }>(`/markets/${TODAY}/orderbook`);
      const answer = await api.shaped(BOOK, `/kalshi/orderbooks?market_id=${TODAY}&outcome=${outcome}`);
      const expected = kalshi.kalshiBook(TODAY, index, book);
      expect(answer).toMatchObject(expected);
      expectReceived(answer);
      const top = await api.shaped(BOOK, `/kalshi/orderbooks?market_id=${TODAY}&outcome=${outcome}&depth=2`);
      expect([top.bids, top.asks]).toEqual([
        (answer.bids as object[]).slice(0, 2),
        (answer.asks as object[]).slice(0, 2),
      ]);
    });

    it('unified-schema.md 5 trades', async () => {
      const { trades } = await raw<{ trades: kalshi.KalshiTrade[] }>('/markets/trades', `?ticker=${TODAY}&limit=100`);
      expect(new Set(trades.map(({ taker_outcome_side }) => taker_outcome_side)).size).toBe(2);
      const answer = await api.list(TRADES, `/kalshi/trades?market_id=${TODAY}&limit=100`);
      expect(answer.data).toEqual(trades.map(kalshi.kalshiTrade));
      expectReceived(answer);
    });

    it.each([0, 1] as const)('unified-schema.md 6 candlesticks of outcome %i', async (index) => {
      const [from, to] = [START.getTime() / 1_000 + 3_600, END.getTime() / 1_000];
      const { markets } = await raw<{ markets: { candlesticks: kalshi.KalshiCandle[] }[] }>(
        '/markets/candlesticks',
        `?market_tickers=${TODAY}&start_ts=${from}&end_ts=${to}&period_interval=60`,
      );
      const answer = await api.list(CANDLES, `/kalshi/candlesticks?market_id=${TODAY}&outcome=${index}&${RANGE}`);
      const candles = markets[0]?.candlesticks ?? [];
      expect(candles.length).toBeGreaterThan(3);
      expect(answer.data).toEqual(candles.map((candle) => kalshi.kalshiCandle(TODAY, index, candle)));
      expect(answer.next_cursor).toBeNull();
    });

    it.each([
      ['open', ['resting']],
      ['closed', ['executed', 'canceled']],
    ])('unified-schema.md 7 orders that are %s', async (status, statuses) => {
      const { orders } = await signed<{ orders: kalshi.KalshiOrder[] }>('/portfolio/orders', '?limit=100');
      const own = orders.filter((order) => statuses.includes(order.status));
      expect(own.length).toBeGreaterThan(1);
      const answer = await api.list(ORDERS, `/kalshi/orders?status=${status}`);
      const { fills } = await signed<{ fills: kalshi.KalshiFill[] }>('/portfolio/fills', '?limit=100');
      expect(answer.data.map((order) => without(order, 'average_fill_price'))).toEqual(
        own.map((order) => kalshi.kalshiOrder(order, fills)),
      );
      expect(answer.next_cursor).toBeNull();
    });

    it('unified-schema.md 7 each order by its id, with the average price of its fills', async () => {
      const { orders } = await signed<{ orders: kalshi.KalshiOrder[] }>('/portfolio/orders', '?limit=100');
      const { fills } = await signed<{ fills: kalshi.KalshiFill[] }>('/portfolio/fills', '?limit=100');
      for (const order of orders) {
        const answer = await api.shaped(ORDER, `/kalshi/orders/${order.order_id}`);
        expect(without(answer, 'average_fill_price')).toEqual(kalshi.kalshiOrder(order, fills));
        const cost = plus(order.taker_fill_cost_dollars, order.maker_fill_cost_dollars);
        const average = answer.average_fill_price as string | null;
        const unfilled = Number(order.fill_count_fp) === 0;
        expect(unfilled ? average === null : isQuotient(average, cost, order.fill_count_fp)).toBe(true);
      }
    });

    it('unified-schema.md 8 fills, positions and balance', async () => {
      const { fills } = await signed<{ fills: kalshi.KalshiFill[] }>('/portfolio/fills');
      expect(new Set(fills.map(({ is_taker }) => is_taker)).size).toBe(2);
      expect((await api.list(FILLS, '/kalshi/fills')).data).toEqual(fills.map(kalshi.kalshiFill));
      const { market_positions: held } = await signed<{ market_positions: kalshi.KalshiPosition[] }>(
        '/portfolio/positions',
      );
      const positions = (await api.list(POSITIONS, '/kalshi/positions')).data;
      expect(held).toHaveLength(2);
      expect(positions.map((position) => without(position, 'average_price'))).toEqual(held.map(kalshi.kalshiPosition));
      for (const { average_price, cost_basis, size } of positions) {
        expect(isQuotient(average_price as string, cost_basis as string, size as string)).toBe(true);
      }
      const balance = await signed<kalshi.KalshiBalance>('/portfolio/balance');
      const reserved = await signed<kalshi.KalshiReserved>('/portfolio/summary/total_resting_order_value');
      const status = await raw<kalshi.KalshiStatus>('/exchange/status');
      expect(await api.shaped(BALANCE, '/kalshi/balance')).toEqual(kalshi.kalshiBalance(balance, reserved, status));
    });

    it.each([
      ['gtc', { price: '0.0100' }, { status: 'open', filled_size: '0', remaining_size: '3', expires_at: null }],
      [
        'gtd',
        { price: '0.0100', expires_at: new Date(NOW.getTime() + HOUR).toISOString() },
        { status: 'open', expires_at: new Date(Math.floor((NOW.getTime() + HOUR) / 1_000) * 1_000).toISOString() },
      ],
      ['ioc', { price: '0.44' }, { status: 'filled', filled_size: '3', remaining_size: '0' }],
      ['fok', { price: '0.44', post_only: false }, { status: 'filled', filled_size: '3', average_fill_price: '0.44' }],
    ] as const)(
      'unified-schema.md 7 creating a %s order, whose cancel tells its end',
      async (time_in_force, terms, state) => {
        const order = { market_id: TODAY, outcome: '0', side: 'buy', size: '3.00', time_in_force, ...terms };
        const created = await api.shaped(ORDERS, '/kalshi/orders', 'post', order);
        expect(created).toMatchObject({
          market_id: TODAY,
          outcome: kalshi.kalshiOutcome(TODAY, 0),
          side: 'buy',
          price: terms.price === '0.44' ? '0.44' : '0.01',
          size: '3',
          time_in_force,
          post_only: false,
          currency: 'USD',
          type: 'limit',
          created_at: NOW.toISOString(),
          ...state,
        });
        const gone = await api.shaped(ORDER, `/kalshi/orders/${created.id as string}`, 'delete');
        expect(gone.status).toBe(state.status === 'open' ? 'cancelled' : state.status);
      },
    );

    it('unified-schema.md 7 cancelling an order', async () => {
      const terms = { market_id: TODAY, outcome: 'no', side: 'sell', size: '3', price: '0.99' };
      const { id } = await api.shaped(ORDERS, '/kalshi/orders', 'post', terms);
      expect(await api.shaped(ORDER, `/kalshi/orders/${id as string}`, 'delete')).toEqual({
        exchange: 'kalshi',
        id,
        status: 'cancelled',
        cancelled_size: '3',
        filled_size: null,
        timestamp: NOW.toISOString(),
      });
    });

    it('unified-schema.md 7 cancelling all orders', async () => {
      const { orders } = await signed<{ orders: kalshi.KalshiOrder[] }>('/portfolio/orders', '?status=resting');
      const answer = await api.shaped(ORDERS, '/kalshi/orders', 'delete');
      expect(answer).toEqual({
        cancelled: expect.arrayContaining(orders.map(({ order_id }) => order_id)),
        not_cancelled: [],
      });
      expect(answer.cancelled).toHaveLength(orders.length);
      expect(await api.shaped(ORDERS, '/kalshi/orders', 'delete')).toEqual({ cancelled: [], not_cancelled: [] });
    });
  });

  it('contract.md 5 the document names every endpoint of the table, and no other', () => {
    const reads = [
      MARKETS,
      MARKET,
      EVENTS,
      EVENT,
      BOOK,
      `${BOOK}/batch`,
      TRADES,
      CANDLES,
      ORDERS,
      ORDER,
      `${ORDERS}/by-key/{idempotency_key}`,
      FILLS,
      POSITIONS,
      `${FILLS}.csv`,
      '/{exchange}/settlements',
      '/{exchange}/settlements.csv',
      BALANCE,
      TRANSFERS,
      TRANSFER,
    ];
    const streams = ['fills', 'markets', 'orderbooks', 'orders', 'trades'].map(
      (channel) => `/{exchange}/${channel}/stream`,
    );
    const cancels = [ORDERS, ORDER, `${ORDERS}/by-key/{idempotency_key}`].map((path) => `DELETE ${path}`);
    const creates = [ORDERS, ...['batch', 'batch-cancel', 'preview'].map((name) => `${ORDERS}/${name}`)].map(
      (path) => `POST ${path}`,
    );
    const changes = [...creates, ...cancels, `PATCH ${ORDER}`, `POST ${TRANSFERS}`];
    expect(api.shapes.operationsUnder('/{exchange}/')).toEqual(
      [...[...reads, ...streams].map((path) => `GET ${path}`), ...changes].sort(),
    );
  });
});

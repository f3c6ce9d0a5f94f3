import { type Bend, KalshiTrader } from '../../sandbox/kalshi/trader.js';
import { type Answer, type Call, type Stand, TICKER } from './calls.js';

const NOBODY = '00000000-0000-4000-8000-000000000000';
const ARCHIVED = 'KXFEDDECISION-PAST-H0';
const GAME = 'KXNBAGAME-BOSNYK-BOS';
const COMBO = 'KXMVECROSS-S1-01';
const ORDERS = '/portfolio/events/orders';

type Run = (stand: Stand) => Promise<Answer>;

function call(
  operation: string,
  status: number,
  run: Run,
  { note = '', holds }: { note?: string; holds?: string } = {},
): Call {
  return { document: 'kalshi', operation, status, note, run, ...(holds === undefined ? {} : { holds }) };
}

/** Unsigned. */
function open(path: string, query = ''): Run {
  return ({ kalshi }) => kalshi.open(path, query);
}

function signed(path: string, query = ''): Run {
  return ({ kalshi }) => kalshi.get(path, query);
}

function bent(path: string, bend: Bend): Run {
  return ({ kalshi }) => kalshi.call('GET', path, { bend });
}

function order(overrides: Record<string, unknown>): Run {
  return ({ kalshi }) => kalshi.order(overrides);
}

function batch(...items: Record<string, unknown>[]): Run {
  const terms = { time_in_force: 'good_till_canceled', self_trade_prevention_type: 'taker_at_cross' };
  const orders = items.map((item) => ({
    ticker: TICKER,
    side: 'bid',
    count: '10.00',
    price: '0.0200',
    ...terms,
    ...item,
  }));
  return ({ kalshi }) => kalshi.call('POST', `${ORDERS}/batched`, { body: { orders } });
}

function amendment(change: Record<string, unknown>): Record<string, unknown> {
  return { ticker: TICKER, side: 'bid', price: '0.0500', count: '10.00', ...change };
}

/** A change of an order that was made for it. */
function changed(change: string, body: Record<string, unknown>): Run {
  return async (stand) => stand.kalshi.call('POST', `${ORDERS}/${await stand.restKalshi()}/${change}`, { body });
}

function candles(path: string, hours: number, more = ''): Run {
  return (stand) => {
    const window = `start_ts=${stand.secondsAgo(hours)}&end_ts=${stand.secondsAgo(0)}&period_interval=60${more}`;
    return stand.kalshi.open(path, `?${window}`);
  };
}

const MARKET_DATA: readonly Call[] = [
  call('GET /exchange/status', 200, open('/exchange/status')),
  call('GET /markets', 200, open('/markets', '?limit=1000'), { holds: 'markets' }),
  ...['unopened', 'open', 'paused', 'closed', 'settled'].map((status) =>
    call('GET /markets', 200, open('/markets', `?status=${status}`), { note: status, holds: 'markets' }),
  ),
  call('GET /markets', 200, open('/markets', '?limit=1'), { note: 'first of several pages', holds: 'markets' }),
  call('GET /markets', 400, open('/markets', '?status=all'), { note: 'bad parameter' }),
  call('GET /markets', 400, open('/markets', '?limit=1001'), { note: 'limit above the maximum' }),
  call('GET /markets/{ticker}', 200, open(`/markets/${TICKER}`)),
  call('GET /markets/{ticker}', 404, open('/markets/KXNONE')),
  call('GET /markets/{ticker}', 404, open(`/markets/${ARCHIVED}`), { note: 'archived' }),
  call('GET /markets/{ticker}/orderbook', 200, open(`/markets/${TICKER}/orderbook`), { note: 'whole' }),
  call('GET /markets/{ticker}/orderbook', 200, open('/markets/KXHIGHNY-YESTERDAY-T54/orderbook'), { note: 'settled' }),
  call('GET /markets/{ticker}/orderbook', 404, open('/markets/KXNONE/orderbook')),
  call(
    'GET /markets/orderbooks',
    200,
    open('/markets/orderbooks', `?tickers=${TICKER}&tickers=KXFEDDECISION-NEXT-H0`),
    {
      holds: 'orderbooks',
    },
  ),
  call('GET /markets/orderbooks', 400, open('/markets/orderbooks')),
  call('GET /markets/trades', 200, open('/markets/trades', `?ticker=${TICKER}&limit=50`), { holds: 'trades' }),
  call('GET /markets/trades', 200, open('/markets/trades', '?is_block_trade=true'), {
    note: 'blocks',
    holds: 'trades',
  }),
  call('GET /markets/trades', 400, open('/markets/trades', '?min_ts=soon')),
  call(
    'GET /markets/candlesticks',
    200,
    candles('/markets/candlesticks', 100, `&market_tickers=${TICKER},KXFEDDECISION-NEXT-H0`),
    {
      holds: 'markets',
    },
  ),
  call('GET /markets/candlesticks', 400, open('/markets/candlesticks')),
  ...[
    { note: '', more: '' },
    { note: 'with the latest before', more: '&include_latest_before_start=true' },
  ].map(({ note, more }) =>
    call(
      'GET /series/{series_ticker}/markets/{ticker}/candlesticks',
      200,
      candles(`/series/KXHIGHNY/markets/${TICKER}/candlesticks`, 20, more),
      {
        note,
        holds: 'candlesticks',
      },
    ),
  ),
  call(
    'GET /series/{series_ticker}/markets/{ticker}/candlesticks',
    400,
    candles(`/series/KXHIGHNY/markets/${TICKER}/candlesticks`, 6_000),
    {
      note: 'too many',
    },
  ),
  call(
    'GET /series/{series_ticker}/markets/{ticker}/candlesticks',
    404,
    candles('/series/KXHIGHNY/markets/KXNONE/candlesticks', 5),
  ),
  call('GET /events', 200, open('/events'), { holds: 'events' }),
  call('GET /events', 200, open('/events', '?with_nested_markets=true&with_milestones=true'), {
    note: 'nested',
    holds: 'events',
  }),
  call('GET /events', 400, open('/events', '?status=paused')),
  call('GET /events/{event_ticker}', 200, open('/events/KXHIGHNY-TODAY'), { holds: 'markets' }),
  call('GET /events/{event_ticker}', 200, open('/events/KXHIGHNY-TODAY', '?with_nested_markets=true'), {
    note: 'nested',
  }),
  call('GET /events/{event_ticker}', 200, open('/events/KXFEDDECISION-PAST', '?with_nested_markets=true'), {
    note: 'archived',
  }),
  call('GET /events/{event_ticker}', 404, open('/events/KXNONE')),
  call('GET /series', 200, open('/series'), { holds: 'series' }),
  call('GET /series', 200, open('/series', '?category=Economics&include_volume=true'), {
    note: 'one category',
    holds: 'series',
  }),
  call('GET /series', 400, open('/series', '?include_volume=perhaps')),
  call('GET /series/{series_ticker}', 200, open('/series/KXHIGHNY')),
  call('GET /series/{series_ticker}', 404, open('/series/KXNONE')),
];

const HISTORY: readonly Call[] = [
  call('GET /historical/cutoff', 200, open('/historical/cutoff')),
  call('GET /historical/markets', 200, open('/historical/markets'), { holds: 'markets' }),
  call('GET /historical/markets', 400, open('/historical/markets', '?limit=1001')),
  call('GET /historical/markets/{ticker}', 200, open(`/historical/markets/${ARCHIVED}`)),
  call('GET /historical/markets/{ticker}', 404, open(`/historical/markets/${TICKER}`)),
  call(
    'GET /historical/markets/{ticker}/candlesticks',
    200,
    (stand) => {
      const window = `start_ts=${stand.secondsAgo(3_200)}&end_ts=${stand.secondsAgo(2_900)}&period_interval=60`;
      return stand.kalshi.open(`/historical/markets/${ARCHIVED}/candlesticks`, `?${window}`);
    },
    { holds: 'candlesticks' },
  ),
  call('GET /historical/markets/{ticker}/candlesticks', 404, candles(`/historical/markets/${TICKER}/candlesticks`, 5)),
  call('GET /historical/trades', 200, open('/historical/trades', `?ticker=${ARCHIVED}`), { holds: 'trades' }),
  call('GET /historical/trades', 400, open('/historical/trades', '?max_ts=never')),
  call('GET /historical/orders', 200, signed('/historical/orders'), { holds: 'orders' }),
  call('GET /historical/orders', 401, open('/historical/orders')),
  call('GET /historical/fills', 200, signed('/historical/fills'), { holds: 'fills' }),
  call('GET /historical/fills', 401, open('/historical/fills')),
  call('GET /historical/positions', 200, signed('/historical/positions'), { holds: 'market_positions' }),
  call('GET /historical/positions', 401, open('/historical/positions')),
];

const PORTFOLIO: readonly Call[] = [
  call('GET /portfolio/balance', 200, signed('/portfolio/balance'), { holds: 'balance_breakdown' }),
  call('GET /portfolio/balance', 401, open('/portfolio/balance'), { note: 'unsigned' }),
  call('GET /portfolio/balance', 401, bent('/portfolio/balance', { accessKey: NOBODY }), { note: 'unknown key' }),
  call('GET /portfolio/balance', 401, bent('/portfolio/balance', { signedPath: '/other' }), {
    note: 'wrong signature',
  }),
  call('GET /portfolio/balance', 401, bent('/portfolio/balance', { timestamp: 1 }), { note: 'old' }),
  ...['resting', 'canceled', 'executed'].map((status) =>
    call('GET /portfolio/orders', 200, signed('/portfolio/orders', `?status=${status}`), {
      note: status,
      holds: 'orders',
    }),
  ),
  call('GET /portfolio/orders', 400, signed('/portfolio/orders', '?status=open')),
  call('GET /portfolio/orders', 401, open('/portfolio/orders')),
  call('GET /portfolio/orders/{order_id}', 200, (stand) => stand.kalshi.get(`/portfolio/orders/${stand.restingId}`)),
  call('GET /portfolio/orders/{order_id}', 401, open(`/portfolio/orders/${NOBODY}`)),
  call('GET /portfolio/orders/{order_id}', 404, signed(`/portfolio/orders/${NOBODY}`)),
  call('GET /portfolio/fills', 200, signed('/portfolio/fills'), { holds: 'fills' }),
  call('GET /portfolio/fills', 400, signed('/portfolio/fills', '?limit=0')),
  call('GET /portfolio/fills', 401, open('/portfolio/fills')),
  call('GET /portfolio/positions', 200, signed('/portfolio/positions'), { holds: 'market_positions' }),
  call('GET /portfolio/positions', 200, signed('/portfolio/positions', '?count_filter=position'), {
    note: 'by event',
    holds: 'event_positions',
  }),
  call('GET /portfolio/positions', 200, signed('/portfolio/positions', '?settlement_status=all'), {
    note: 'settled ones too',
    holds: 'market_positions',
  }),
  call('GET /portfolio/positions', 400, signed('/portfolio/positions', '?count_filter=size')),
  call('GET /portfolio/positions', 401, open('/portfolio/positions')),
  call('GET /portfolio/settlements', 200, signed('/portfolio/settlements'), { holds: 'settlements' }),
  call('GET /portfolio/settlements', 400, signed('/portfolio/settlements', '?limit=5000')),
  call('GET /portfolio/settlements', 401, open('/portfolio/settlements')),
];

const TRADING: readonly Call[] = [
  call(`POST ${ORDERS}`, 201, order({ price: '0.0200' }), { note: 'that rests' }),
  call(`POST ${ORDERS}`, 201, order({ price: '0.4400', count: '1.00' }), { note: 'that fills' }),
  call(`POST ${ORDERS}`, 201, order({ price: '0.0100', time_in_force: 'immediate_or_cancel' }), {
    note: 'that fills nothing',
  }),
  call(`POST ${ORDERS}`, 201, order({ price: '0.0200', client_order_id: undefined }), {
    note: 'without a client order id',
  }),
  call(`POST ${ORDERS}`, 400, order({ price: 0.42 }), { note: 'a price of the wrong type' }),
  call(`POST ${ORDERS}`, 400, order({ side: 'yes' }), { note: 'an unknown side' }),
  call(`POST ${ORDERS}`, 400, order({ price: '0.4250' }), { note: 'off the grid' }),
  call(`POST ${ORDERS}`, 400, order({ count: '900000.00' }), { note: 'more than the balance' }),
  call(`POST ${ORDERS}`, 400, order({ post_only: true, price: '0.9000' }), { note: 'a post-only cross' }),
  call(`POST ${ORDERS}`, 401, ({ kalshi }) =>
    kalshi.call('POST', ORDERS, { body: {}, bend: { leaveOut: 'KALSHI-ACCESS-KEY' } }),
  ),
  call(`POST ${ORDERS}`, 404, order({ ticker: 'KXNONE' }), { note: 'an unknown market' }),
  call(`POST ${ORDERS}`, 409, async ({ kalshi }) => {
    await kalshi.order({ price: '0.0100', client_order_id: 'twice' });
    return kalshi.order({ price: '0.0100', client_order_id: 'twice' });
  }),
  call(
    `POST ${ORDERS}`,
    400,
    async ({ kalshi, sandbox, clock }) => {
      sandbox.kalshi.exchange.changeShard(0, { tradingActive: false }, clock().getTime());
      const answer = await kalshi.order();
      sandbox.kalshi.exchange.changeShard(0, { tradingActive: true }, clock().getTime());
      return answer;
    },
    { note: 'while trading is paused' },
  ),
  call(`POST ${ORDERS}`, 404, order({ ticker: COMBO, price: '0.0500' }), { note: 'on a shard without money' }),
  call(`POST ${ORDERS}`, 201, order({ ticker: GAME, price: '0.0500' }), { note: 'on shard 3' }),
  call(`DELETE ${ORDERS}/{order_id}`, 200, async (stand) =>
    stand.kalshi.call('DELETE', `${ORDERS}/${await stand.restKalshi()}`, { query: `?market_ticker=${TICKER}` }),
  ),
  call(`DELETE ${ORDERS}/{order_id}`, 401, ({ kalshi }) =>
    kalshi.call('DELETE', `${ORDERS}/${NOBODY}`, { bend: { signedPath: '/other' } }),
  ),
  call(`DELETE ${ORDERS}/{order_id}`, 404, ({ kalshi }) => kalshi.call('DELETE', `${ORDERS}/${NOBODY}`)),
  call(
    `DELETE ${ORDERS}/batched`,
    200,
    async (stand) => {
      const orders = [{ order_id: await stand.restKalshi() }, { order_id: NOBODY }];
      return stand.kalshi.call('DELETE', `${ORDERS}/batched`, { body: { orders } });
    },
    { note: 'one of two', holds: 'orders' },
  ),
  call(`DELETE ${ORDERS}/batched`, 400, ({ kalshi }) => kalshi.call('DELETE', `${ORDERS}/batched`, { body: {} })),
  call(`DELETE ${ORDERS}/batched`, 401, ({ kalshi }) =>
    kalshi.call('DELETE', `${ORDERS}/batched`, { body: {}, bend: { accessKey: NOBODY } }),
  ),
  call(`POST ${ORDERS}/batched`, 201, batch({}, { price: '0.4400', count: '1.00' }, { price: '0.4250' }), {
    note: 'that rests, that fills, that is refused',
    holds: 'orders',
  }),
  call(`POST ${ORDERS}/batched`, 400, batch({ side: 'yes' }), { note: 'an unknown side' }),
  call(`POST ${ORDERS}/batched`, 401, ({ kalshi }) =>
    kalshi.call('POST', `${ORDERS}/batched`, { body: {}, bend: { accessKey: NOBODY } }),
  ),
  ...[
    { note: 'smaller', count: '4.00', price: '0.0500' },
    { note: 'that trades', count: '1.00', price: '0.4400' },
    { note: 'that changes nothing', count: '10.00', price: '0.0500' },
  ].map(({ note, ...change }) =>
    call(`POST ${ORDERS}/{order_id}/amend`, 200, changed('amend', amendment(change)), { note }),
  ),
  call(`POST ${ORDERS}/{order_id}/amend`, 400, changed('amend', amendment({ side: 'ask' })), { note: 'another side' }),
  call(`POST ${ORDERS}/{order_id}/decrease`, 200, changed('decrease', { reduce_to: '2.00' })),
  call(`POST ${ORDERS}/{order_id}/decrease`, 400, changed('decrease', {}), { note: 'without a size' }),
  ...['amend', 'decrease'].flatMap((change) => [
    call(`POST ${ORDERS}/{order_id}/${change}`, 401, ({ kalshi }) =>
      kalshi.call('POST', `${ORDERS}/${NOBODY}/${change}`, { body: {}, bend: { accessKey: NOBODY } }),
    ),
    call(`POST ${ORDERS}/{order_id}/${change}`, 404, ({ kalshi }) =>
      kalshi.call('POST', `${ORDERS}/${NOBODY}/${change}`, { body: { ...amendment({}), reduce_to: '1.00' } }),
    ),
  ]),
  ...[
    'POST /portfolio/orders',
    'POST /portfolio/orders/batched',
    'DELETE /portfolio/orders/batched',
    'DELETE /portfolio/orders/{order_id}',
    'POST /portfolio/orders/{order_id}/amend',
    'POST /portfolio/orders/{order_id}/decrease',
  ].map((operation) =>
    call(operation, 410, ({ kalshi }) => {
      const [method = '', path = ''] = operation.replace('{order_id}', NOBODY).split(' ');
      return kalshi.call(method, path);
    }),
  ),
];

const TRANSFER = '/portfolio/intra_exchange_instance_transfer';

function transfer({ kalshi }: Stand, overrides: Record<string, unknown> = {}): Promise<Answer> {
  const body = { source: 'event_contract', destination: 'event_contract', destination_exchange_shard: 2, amount: 100 };
  return kalshi.call('POST', TRANSFER, { body: { ...body, ...overrides } });
}

const MONEY: readonly Call[] = [
  call(
    'GET /portfolio/summary/total_resting_order_value',
    200,
    signed('/portfolio/summary/total_resting_order_value'),
    { holds: 'resting_order_value_breakdown' },
  ),
  call('GET /portfolio/summary/total_resting_order_value', 401, open('/portfolio/summary/total_resting_order_value')),
  call('GET /portfolio/subaccounts/balances', 200, signed('/portfolio/subaccounts/balances'), {
    holds: 'subaccount_balances',
  }),
  call('GET /portfolio/subaccounts/balances', 401, open('/portfolio/subaccounts/balances')),
  call(`POST ${TRANSFER}`, 200, (stand) => transfer(stand)),
  call(`POST ${TRANSFER}`, 400, (stand) => transfer(stand, { amount: 0 })),
  call(`POST ${TRANSFER}`, 401, ({ kalshi }) =>
    kalshi.call('POST', TRANSFER, { body: {}, bend: { accessKey: NOBODY } }),
  ),
  call(
    `GET ${TRANSFER}s`,
    200,
    async (stand) => {
      await transfer(stand);
      return stand.kalshi.get(`${TRANSFER}s`);
    },
    { holds: 'transfers' },
  ),
  call(`GET ${TRANSFER}s`, 400, signed(`${TRANSFER}s`, '?limit=501')),
  call(`GET ${TRANSFER}s`, 401, open(`${TRANSFER}s`)),
  call(`GET ${TRANSFER}s/{transfer_id}`, 200, async (stand) => {
    const { body } = await transfer(stand);
    const id: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'transfer_id') : undefined;
    return stand.kalshi.get(`${TRANSFER}s/${String(id)}`);
  }),
  call(`GET ${TRANSFER}s/{transfer_id}`, 401, open(`${TRANSFER}s/${NOBODY}`)),
  call(`GET ${TRANSFER}s/{transfer_id}`, 404, signed(`${TRANSFER}s/${NOBODY}`)),
];

/** The trader of one of the sandbox's further keys. */
function holder({ sandbox, clock }: Stand, name: string): KalshiTrader {
  const { api_url, keys } = sandbox.addresses.kalshi;
  const key = keys.find((each) => each.name === name);
  if (key === undefined) throw new Error(`no key ${name}`);
  return new KalshiTrader({ ...key, api_url }, () => clock().getTime());
}

const KEYS: readonly Call[] = [
  call('GET /account/limits', 200, signed('/account/limits')),
  call('GET /account/limits', 401, open('/account/limits')),
  call('GET /account/endpoint_costs', 200, open('/account/endpoint_costs'), { holds: 'endpoint_costs' }),
  call('GET /api_keys', 200, signed('/api_keys'), { holds: 'api_keys' }),
  call('GET /api_keys', 401, open('/api_keys')),
  call('GET /api_keys', 403, (stand) => holder(stand, 'subaccount').get('/api_keys'), { note: 'bound' }),
  call(`POST ${ORDERS}`, 403, (stand) => holder(stand, 'read').order(), { note: 'without the scope' }),
  call('GET /portfolio/balance', 200, (stand) => holder(stand, 'subaccount').get('/portfolio/balance'), {
    note: 'bound',
  }),
];

/** Every call of the Kalshi stand-in. */
export const KALSHI_CALLS: readonly Call[] = [...MARKET_DATA, ...HISTORY, ...PORTFOLIO, ...TRADING, ...MONEY, ...KEYS];

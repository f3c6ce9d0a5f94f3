import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FaultList } from '../../wire/faults.js';
import { isRecord } from '../../wire/json.js';
import { RequestLog } from '../../wire/request-log.js';
import { KalshiSandbox } from '../sandbox.js';
import { type Answer, KalshiTrader } from '../trader.js';

const MARKET = 'KXHIGHNY-TODAY-B55.5';

function refused(status: number, code: string, details?: string): object {
  return { status, body: { error: { code, ...(details === undefined ? {} : { details }) } } };
}

describe('Kalshi create order', () => {
  let offset = 0;
  let sandbox: KalshiSandbox;
  let client: KalshiTrader;

  beforeEach(async () => {
    offset = 0;
    const clock = (): Date => new Date(Date.now() + offset);
    sandbox = await KalshiSandbox.start({ faults: new FaultList(), log: new RequestLog(), clock, keyType: 'ed25519' });
    client = new KalshiTrader(sandbox.account, () => clock().getTime());
  });

  afterEach(async () => {
    await sandbox.close();
  });

  async function available(who = client): Promise<unknown> {
    const { body } = await who.get('/portfolio/balance', '?exchange_index=0');
    return isRecord(body) ? body.balance_dollars : undefined;
  }

  async function another(balanceDollars: string): Promise<KalshiTrader> {
    const account = await sandbox.addAccount({ balanceDollars, keyType: 'ed25519' });
    return new KalshiTrader(account, () => Date.now() + offset);
  }

  async function topOfBook(): Promise<unknown> {
    const { body } = await client.open(`/markets/${MARKET}/orderbook`, '?depth=1');
    return isRecord(body) ? body.orderbook_fp : undefined;
  }

  it('kalshi.md 5.1 answers 201 with strings, puts the rest into the book and holds its cost back', async () => {
    const answer = await client.order({ price: '0.4300', client_order_id: 'c-1' });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      order_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      client_order_id: 'c-1',
      fill_count: '0.00',
      remaining_count: '10.00',
      ts_ms: expect.any(Number),
    });
    expect(await topOfBook()).toMatchObject({ yes_dollars: [['0.4300', '10.00']] });
    expect(await available()).toBe('9995.7000');
  });

  it('an ask buys NO at 1 - price and costs that', async () => {
    await client.order({ side: 'ask', price: '0.4300' });
    expect(await topOfBook()).toMatchObject({ no_dollars: [['0.5700', '10.00']] });
    expect(await available()).toBe('9994.3000');
  });

  it('fills at resting prices and charges the quadratic taker fee', async () => {
    const answer = await client.order({ price: '0.5000', count: '5' });
    expect(answer.body).toMatchObject({
      fill_count: '5.00',
      remaining_count: '0.00',
      average_fill_price: '0.4400',
      average_fee_paid: '0.017260',
    });
    // 5 × 0.44 and a fee of 0.07 × 5 × 0.44 × 0.56 = 0.08624, rounded up to 0.0863
    expect(await available()).toBe('9997.7137');
  });

  it('nets opposite trades to cash', async () => {
    await client.order({ price: '0.4400', count: '10', time_in_force: 'immediate_or_cancel' });
    await client.order({ side: 'ask', price: '0.4200', count: '10', time_in_force: 'immediate_or_cancel' });
    // bought at 0.44, sold at 0.42; fees 0.1725 and 0.1706
    expect(await available()).toBe('9999.4569');
  });

  it('holds nothing back for an order that closes a position', async () => {
    await client.order({ price: '0.4400', count: '10' });
    const before = await available();
    await client.order({ side: 'ask', price: '0.9000', count: '10' });
    expect(await available()).toBe(before);
  });

  it.each([
    ['immediate_or_cancel', '0.4200'],
    ['fill_or_kill', '0.4200'],
  ])('kalshi.md 5.1 %s that fills nothing is a 201 with both counts 0.00', async (timeInForce, price) => {
    const { status, body } = await client.order({ price, time_in_force: timeInForce });
    expect([status, body]).toMatchObject([201, { fill_count: '0.00', remaining_count: '0.00' }]);
    expect(isRecord(body) && 'average_fill_price' in body).toBe(false);
    expect(await available()).toBe('10000.0000');
  });

  it('fill_or_kill beyond the book leaves everything as it was', async () => {
    const before = await topOfBook();
    const rich = await another('100000000');
    const { body } = await rich.order({ price: '0.9900', count: '999999', time_in_force: 'fill_or_kill' });
    expect(body).toMatchObject({ fill_count: '0.00', remaining_count: '0.00' });
    expect(await topOfBook()).toEqual(before);
  });

  it('immediate_or_cancel takes what there is', async () => {
    await client.order({ side: 'ask', price: '0.4300', count: '3' });
    const { body } = await (
      await another('100')
    ).order({ price: '0.4300', count: '10', time_in_force: 'immediate_or_cancel' });
    expect(body).toMatchObject({ fill_count: '3.00', remaining_count: '0.00', average_fill_price: '0.4300' });
  });

  it('trades between members: the maker gets its price without a fee', async () => {
    await client.order({ price: '0.4300', count: '2.50' });
    const taker = await another('100');
    const { body } = await taker.order({ side: 'ask', price: '0.4000', count: '2.5' });
    expect(body).toMatchObject({ fill_count: '2.50', average_fill_price: '0.4300' });
    expect(await available()).toBe('9998.9250');
    expect(await available(taker)).toBe('98.5321');
  });

  it.each(['count', 'price', 'ticker', 'side'])('kalshi.md 11 a JSON number for %s is the flat 400', async (field) => {
    expect(await client.order({ [field]: 1 })).toEqual({
      status: 400,
      body: {
        code: 'bad_request',
        message: 'bad request',
        details: `json: cannot unmarshal number into Go struct field CreateOrderV2Request.${field} of type string`,
      },
    });
  });

  it('a body that is no JSON object is the flat 400', async () => {
    for (const rawBody of ['{', '', '[]', '1'])
      expect(await client.call('POST', '/portfolio/events/orders', { rawBody })).toMatchObject({
        status: 400,
        body: { code: 'bad_request', message: 'bad request' },
      });
  });

  it.each(['ticker', 'side', 'count', 'price', 'time_in_force', 'self_trade_prevention_type'])(
    'needs %s',
    async (field) => {
      expect(await client.order({ [field]: undefined })).toMatchObject(
        refused(400, 'bad_request', `${field} is required`),
      );
    },
  );

  it.each([
    [{ side: 'yes' }, 'bad_request'],
    [{ time_in_force: 'GTC' }, 'bad_request'],
    [{ self_trade_prevention_type: 'none' }, 'bad_request'],
    [{ count: '0' }, 'bad_request'],
    [{ count: '-1' }, 'bad_request'],
    [{ count: '1.005' }, 'bad_request'],
    [{ price: '0.425' }, 'invalid_price'],
    [{ price: '0.4250' }, 'invalid_price'],
    [{ price: '0.00' }, 'invalid_price'],
    [{ price: '1.00' }, 'invalid_price'],
    [{ price: '0.4' }, 'invalid_price'],
    [{ price: '0.42000' }, 'invalid_price'],
    [{ price: 'abc' }, 'invalid_price'],
    [{ subaccount: 3 }, 'bad_request'],
  ])('refuses %j', async (overrides, code) => {
    expect(await client.order(overrides)).toMatchObject(refused(400, code));
    expect(await available()).toBe('10000.0000');
  });

  it('follows each market its own tick grid', async () => {
    const fed = 'KXFEDDECISION-NEXT-C26';
    expect((await client.order({ ticker: fed, price: '0.0090' })).status).toBe(201);
    expect(await client.order({ ticker: fed, price: '0.0095' })).toMatchObject(refused(400, 'invalid_price'));
    expect(await client.order({ ticker: fed, side: 'ask', price: '0.5550' })).toMatchObject(
      refused(400, 'invalid_price'),
    );
    expect((await client.order({ ticker: fed, side: 'ask', price: '0.9990' })).status).toBe(201);
    expect((await client.order({ ticker: 'KXBTCMAX-YEAR-T150K', price: '0.3722' })).status).toBe(201);
  });

  it.each([
    ['NOPE', 404, 'market_not_found'],
    ['KXFEDDECISION-PAST-H0', 404, 'market_not_found'],
    ['KXHIGHNY-TOMORROW-B57.5', 400, 'MARKET_NOT_ACTIVE'],
    ['KXBTCMAX-YEAR-T200K', 400, 'MARKET_NOT_ACTIVE'],
    ['KXBTCMAX-YEAR-T120K', 400, 'MARKET_NOT_ACTIVE'],
    ['KXHIGHNY-YESTERDAY-B52.5', 400, 'MARKET_NOT_ACTIVE'],
  ])('refuses an order in %s', async (ticker, status, code) => {
    expect(await client.order({ ticker })).toMatchObject(refused(status, code));
  });

  it('kalshi.md 11 refuses what the balance cannot carry, fees and earlier orders included', async () => {
    const poor = await another('4.40');
    expect(await poor.order({ price: '0.4400', count: '10' })).toEqual({
      status: 400,
      body: { error: { code: 'insufficient_balance', message: 'insufficient balance' } },
    });
    expect((await poor.order({ price: '0.4200', count: '10' })).status).toBe(201);
    expect(await available(poor)).toBe('0.2000');
    expect(await poor.order({ price: '0.2100', count: '1' })).toMatchObject(refused(400, 'insufficient_balance'));
    expect((await poor.order({ price: '0.2000', count: '1' })).status).toBe(201);
  });

  it('kalshi.md 5.1 a client_order_id is unique for ever, per account, accepted orders only', async () => {
    await client.order({ client_order_id: 'same', time_in_force: 'immediate_or_cancel' });
    expect(await client.order({ client_order_id: 'same', price: '0.1000' })).toEqual({
      status: 409,
      body: { error: { code: 'order_already_exists', message: 'order already exists' } },
    });
    expect((await (await another('100')).order({ client_order_id: 'same' })).status).toBe(201);
    await client.order({ client_order_id: 'other', price: '0.4250' });
    expect((await client.order({ client_order_id: 'other' })).status).toBe(201);
    expect((await client.order({ client_order_id: undefined })).status).toBe(201);
    expect((await client.order({ client_order_id: undefined })).status).toBe(201);
  });

  it('kalshi.md 11 refuses a post-only order that would cross', async () => {
    expect(await client.order({ price: '0.4400', post_only: true })).toEqual({
      status: 400,
      body: { error: { code: 'invalid_order', message: 'invalid order', details: 'post only cross' } },
    });
    expect((await client.order({ price: '0.4300', post_only: true })).status).toBe(201);
    expect(
      await client.order({ price: '0.4300', post_only: true, time_in_force: 'immediate_or_cancel' }),
    ).toMatchObject(refused(400, 'invalid_order'));
  });

  it('kalshi.md 5.1 takes an expiration only with good_till_canceled and in the future, and keeps to it', async () => {
    const soon = Math.floor(Date.now() / 1_000) + 60;
    expect(await client.order({ expiration_time: soon - 120 })).toMatchObject(refused(400, 'invalid_order'));
    expect(await client.order({ expiration_time: soon, time_in_force: 'fill_or_kill' })).toMatchObject(
      refused(400, 'invalid_order'),
    );
    expect((await client.order({ expiration_time: soon })).status).toBe(201);
    expect(await available()).toBe('9995.8000');
    offset = 120_000;
    expect(await available()).toBe('10000.0000');
  });

  it('kalshi.md 5.1 reduce_only goes with immediate_or_cancel alone, trades no more than the position and nothing without one', async () => {
    const closing = { side: 'ask', price: '0.4200', count: '10', reduce_only: true };
    const ioc = { ...closing, time_in_force: 'immediate_or_cancel' };
    expect(await client.order(ioc)).toMatchObject(refused(400, 'invalid_order'));
    await client.order({ price: '0.4400', count: '4' });
    for (const time_in_force of ['good_till_canceled', 'fill_or_kill'])
      expect(await client.order({ ...closing, time_in_force })).toMatchObject(refused(400, 'invalid_order'));
    const { body } = await client.order(ioc);
    expect(body).toMatchObject({ fill_count: '4.00', remaining_count: '0.00' });
  });

  it('taker_at_cross cancels what is left on meeting an own order, maker cancels the older order', async () => {
    await client.order({ side: 'ask', price: '0.4300', count: '5' });
    const first = await client.order({ price: '0.4400', count: '7' });
    expect(first.body).toMatchObject({ fill_count: '0.00', remaining_count: '0.00' });
    const second = await client.order({ price: '0.4400', count: '7', self_trade_prevention_type: 'maker' });
    expect(second.body).toMatchObject({ fill_count: '7.00', average_fill_price: '0.4400' });
    expect(await topOfBook()).toMatchObject({ no_dollars: [['0.5600', expect.any(String)]] });
  });

  it('drops the orders of a market that closes', async () => {
    await client.order();
    offset = 2 * 86_400_000;
    expect(await available()).toBe('10000.0000');
    expect(await topOfBook()).toEqual({ yes_dollars: [], no_dollars: [] });
  });

  it.each([
    ['POST', '/portfolio/orders'],
    ['POST', '/portfolio/orders/batched'],
    ['DELETE', '/portfolio/orders/batched'],
    ['DELETE', '/portfolio/orders/97ec18b7-10d3-4557-9de0-8598aad625f0'],
    ['POST', '/portfolio/orders/97ec18b7-10d3-4557-9de0-8598aad625f0/amend'],
    ['POST', '/portfolio/orders/97ec18b7-10d3-4557-9de0-8598aad625f0/decrease'],
  ])('kalshi.md 5 %s %s is gone', async (method, path) => {
    const answer: Answer = await client.call(method, path, { body: {} });
    expect(answer).toEqual({
      status: 410,
      body: {
        error: { code: 'deprecated_v1_order_endpoint', message: 'Please switch to the V2 endpoints' },
      },
    });
  });

  it('values the portfolio at last prices', async () => {
    await client.order({ price: '0.4400', count: '10' });
    const { body } = await client.get('/portfolio/balance', '?exchange_index=0');
    expect(body).toMatchObject({ portfolio_value: 440, balance: 999542 });
  });
});

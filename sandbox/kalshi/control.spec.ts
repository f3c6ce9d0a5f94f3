import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isRecord } from '../wire/json.js';
import { type Sandbox, startSandbox } from '../sandbox.js';
import { KalshiTrader } from './trader.js';

const GAME = 'KXNBAGAME-BOSNYK-BOS';

describe('kalshiControls (contract.md 7)', () => {
  let sandbox: Sandbox;
  let client: KalshiTrader;

  beforeAll(async () => {
    sandbox = await startSandbox();
    client = new KalshiTrader(sandbox.kalshi.account);
  });

  afterAll(() => sandbox.close());

  async function control(path: string, body: object): Promise<[number, unknown]> {
    const answer = await fetch(`${sandbox.controlUrl}/kalshi/${path}`, { method: 'POST', body: JSON.stringify(body) });
    return [answer.status, await answer.json()];
  }

  it('pauses one shard and reopens it', async () => {
    const pause = { exchange_index: 3, trading_active: false };
    expect(await control('shards', pause)).toEqual([200, pause]);
    expect((await client.order({ ticker: GAME, price: '0.0100' })).body).toMatchObject({
      error: { code: 'trading_is_paused' },
    });
    expect((await client.open('/exchange/status')).body).toMatchObject({
      trading_active: true,
      exchange_index_statuses: [{}, {}, {}, { trading_active: false, intra_exchange_transfers_active: true }],
    });
    await control('shards', { exchange_index: 3, trading_active: true, intra_exchange_transfers_active: false });
    expect((await client.order({ ticker: GAME, price: '0.0100' })).status).toBe(201);
    expect((await client.open('/exchange/status')).body).toMatchObject({
      exchange_index_statuses: [{}, {}, {}, { trading_active: true, intra_exchange_transfers_active: false }],
    });
  });

  it('takes the attestation away and gives it back', async () => {
    expect((await control('attestation', { expires_at: null }))[0]).toBe(200);
    expect((await client.order({ ticker: GAME, price: '0.0100' })).status).toBe(403);
    expect((await client.get('/api_keys')).body).not.toHaveProperty('api_key_region_expiration_ts');
    const later = new Date(Math.floor(Date.now() / 1_000) * 1_000 + 3_600_000);
    await control('attestation', { expires_at: later.toISOString() });
    expect((await client.get('/api_keys')).body).toMatchObject({ api_key_region_expiration_ts: Number(later) / 1_000 });
    expect((await client.order({ ticker: GAME, price: '0.0100' })).status).toBe(201);
  });

  it('sets how long transfers take', async () => {
    expect(await control('transfers', { delay_ms: 0 })).toEqual([200, { delay_ms: 0 }]);
    expect(sandbox.kalshi.exchange.transfers.delayMs).toBe(0);
  });

  it('changes what a series charges, or an event alone, from then on', async () => {
    const rule = { fee_type: 'quadratic_with_maker_fees', fee_multiplier: 0.5 };
    const series = async (): Promise<unknown> => (await client.open('/series/KXHIGHNY')).body;
    const event = async (): Promise<unknown> => (await client.open('/events/KXHIGHNY-TODAY')).body;
    const paid = async (): Promise<unknown> => (await client.order({ price: '0.4400', count: '100' })).body;
    expect(await paid()).toMatchObject({ average_fee_paid: '0.017248' });
    expect(await control('fees', { series_ticker: 'KXHIGHNY', ...rule })).toMatchObject([200, rule]);
    expect(await series()).toMatchObject({ series: rule });
    expect(await paid()).toMatchObject({ average_fee_paid: '0.008624' });
    const own = { fee_type: 'quadratic', fee_multiplier: 2 };
    await control('fees', { event_ticker: 'KXHIGHNY-TODAY', ...own });
    expect(await event()).toMatchObject({ event: { fee_type_override: 'quadratic', fee_multiplier_override: 2 } });
    expect(await paid()).toMatchObject({ average_fee_paid: '0.034496' });
    await control('fees', { event_ticker: 'KXHIGHNY-TODAY', fee_type: null });
    expect(await paid()).toMatchObject({ average_fee_paid: '0.008624' });
    // as a maker of 100 at 0.43: 0.5 × 0.0175 × 100 × 0.43 × 0.57
    const { body } = await client.order({ price: '0.4300', count: '100' });
    const order_id = isRecord(body) ? body.order_id : '';
    expect(await control('fills', { order_id, count: '100' })).toMatchObject([200, { order_id }]);
    const { body: order } = await client.get(`/portfolio/orders/${String(order_id)}`);
    expect(order).toMatchObject({ order: { status: 'executed', maker_fees_dollars: '0.214500' } });
    const { body: fills } = await client.get('/portfolio/fills', `?order_id=${String(order_id)}`);
    expect(fills).toMatchObject({ fills: [{ is_taker: false, fee_cost: '0.214500', count_fp: '100.00' }] });
  });

  it('kalshi.md 7.1 charges combos and games as makers from the start, oil by half', async () => {
    for (const [ticker, fee_type, fee_multiplier] of [
      ['KXNBAGAME', 'quadratic_with_maker_fees', 1],
      ['KXMVECROSS', 'quadratic_with_combo_maker_fees', 1],
      ['KXWTI', 'quadratic', 0.5],
      ['KXFEDDECISION', 'quadratic', 1],
    ])
      expect((await client.open(`/series/${ticker}`)).body).toMatchObject({ series: { fee_type, fee_multiplier } });
  });

  it('fills an order just before its owner changes it: an amend that comes too late, a cancel of what is left', async () => {
    const { body } = await client.order({ price: '0.4300' });
    const id = isRecord(body) ? String(body.order_id) : '';
    await control('fills', { order_id: id, count: '7', before_change: true });
    const change = { ticker: 'KXHIGHNY-TODAY-B55.5', side: 'bid', price: '0.4200', count: '6' };
    const amended = await client.call('POST', `/portfolio/events/orders/${id}/amend`, { body: change });
    expect(amended).toMatchObject({ status: 400, body: { error: { code: 'invalid_order_size' } } });
    await control('fills', { order_id: id, count: '1', before_change: true });
    const cancelled = await client.call('DELETE', `/portfolio/events/orders/${id}`);
    expect(cancelled.body).toMatchObject({ reduced_by: '2.00' });
    const { body: order } = await client.get(`/portfolio/orders/${id}`);
    expect(order).toMatchObject({ order: { fill_count_fp: '8.00', status: 'canceled' } });
  });

  it('kalshi.md 10 refuses what the buckets do not hold, a batch as a whole, each shard for itself', async () => {
    expect((await client.get('/account/limits')).body).toEqual({
      usage_tier: 'advanced',
      read: { refill_rate: 300, bucket_capacity: 900 },
      write: { refill_rate: 300, bucket_capacity: 900 },
      grants: [],
    });
    expect((await client.open('/account/endpoint_costs')).body).toMatchObject({ default_cost: 10 });
    await control('limits', { tier: 'basic', enforced: true });
    const order = { ticker: GAME, side: 'bid', count: '1', price: '0.0100' };
    const terms = { time_in_force: 'good_till_canceled', self_trade_prevention_type: 'taker_at_cross' };
    const batch = (count: number) =>
      client.call('POST', '/portfolio/events/orders/batched', {
        body: { orders: Array(count).fill({ ...order, ...terms }) },
      });
    expect(await batch(11)).toEqual({ status: 429, body: { error: 'too many requests' } });
    expect((await batch(10)).status).toBe(201);
    expect((await batch(5)).status).toBe(429);
    // the shard's own bucket is full still; one that is found by its ticker draws from the general one, too
    expect((await client.order({ ...order, exchange_index: 3 })).status).toBe(201);
    await control('limits', { enforced: false });
    expect((await batch(30)).status).toBe(201);
  });

  it.each([
    ['fees', { series_ticker: 'KXNONE', fee_type: 'quadratic', fee_multiplier: 1 }, 404],
    ['fees', { series_ticker: 'KXHIGHNY', fee_type: 'cubic', fee_multiplier: 1 }, 400],
    ['fees', { series_ticker: 'KXHIGHNY', fee_type: 'quadratic', fee_multiplier: -1 }, 400],
    ['fills', { order_id: 'none', count: '1' }, 404],
    ['fills', { order_id: 'none', count: '1.001' }, 400],
    ['limits', { tier: 'gold' }, 400],
    ['shards', { exchange_index: 7, trading_active: false }, 404],
    ['shards', { exchange_index: '3' }, 400],
    ['shards', { exchange_index: 3, paused: true }, 400],
    ['attestation', {}, 400],
    ['attestation', { expires_at: 'soon' }, 400],
    ['transfers', { delay_ms: -1 }, 400],
    ['nothing', {}, 404],
  ])('refuses %s %j', async (path, body, status) => {
    expect(await control(path, body)).toEqual([status, { error: expect.any(String) }]);
  });
});

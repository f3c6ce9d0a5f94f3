import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FaultList } from '../../wire/faults.js';
import { isRecord } from '../../wire/json.js';
import { RequestLog } from '../../wire/request-log.js';
import { KalshiSandbox } from '../sandbox.js';
import { type Answer, KalshiTrader } from '../trader.js';

const ORDERS = '/portfolio/events/orders';
const TRANSFERS = '/portfolio/intra_exchange_instance_transfer';
const CRYPTO = 'KXBTCD-FRIDAY-T110000';
const RESTRICTED = {
  status: 403,
  body: {
    error: {
      code: 'forbidden',
      message: 'this API key is restricted to a single sub-account and cannot access this endpoint',
    },
  },
};

function list({ body }: Answer, name: string): Record<string, unknown>[] {
  const value = isRecord(body) ? body[name] : undefined;
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function idOf({ body }: Answer): string {
  return isRecord(body) ? String(body.order_id) : '';
}

describe('Kalshi API keys', () => {
  let sandbox: KalshiSandbox;
  let owner: KalshiTrader;

  beforeAll(async () => {
    const clock = (): Date => new Date();
    sandbox = await KalshiSandbox.start({ faults: new FaultList(), log: new RequestLog(), clock, keyType: 'ed25519' });
    owner = new KalshiTrader(sandbox.account);
  });

  afterAll(async () => {
    await sandbox.close();
  });

  function holder(name: string): KalshiTrader {
    const key = sandbox.keys.find((each) => each.name === name);
    if (key === undefined) throw new Error(`no key ${name}`);
    return new KalshiTrader({ ...key, api_url: sandbox.account.api_url });
  }

  function move(who: KalshiTrader): Promise<Answer> {
    const instances = { source: 'event_contract', destination: 'event_contract' };
    return who.call('POST', TRANSFERS, { body: { ...instances, destination_exchange_shard: 2, amount: 1 } });
  }

  it('kalshi.md 2.2 lists all keys of the account with their scopes and binding, and its attestation', async () => {
    const answer = await owner.get('/api_keys');
    expect(answer.status).toBe(200);
    expect(list(answer, 'api_keys')).toEqual([
      { api_key_id: sandbox.account.access_key, name: 'full access', scopes: ['read', 'write'] },
      ...sandbox.keys.map(({ name, access_key }) => ({
        api_key_id: access_key,
        name,
        scopes: expect.any(Array),
        ...(name === 'subaccount' ? { subaccount: 1 } : {}),
      })),
    ]);
    const lapses = isRecord(answer.body) ? Number(answer.body.api_key_region_expiration_ts) : 0;
    expect(lapses - Date.now() / 1_000).toBeGreaterThan(80 * 86_400);
    const other = new KalshiTrader(await sandbox.addAccount({ attestedUntil: null, keyType: 'ed25519' }));
    const { body } = await other.get('/api_keys');
    expect(body).toEqual({ api_keys: [expect.objectContaining({ scopes: ['read', 'write'] })] });
  });

  it.each([
    ['read', { read: 200, keys: 200, order: 403, move: 403 }],
    ['read_trade', { read: 200, keys: 200, order: 201, move: 403 }],
    ['read_trade_transfer', { read: 200, keys: 200, order: 201, move: 200 }],
    ['trade', { read: 403, keys: 403, order: 201, move: 403 }],
    ['subaccount', { read: 200, keys: 403, order: 201, move: 403 }],
  ])('kalshi.md 2.2 the key %s may do %j', async (name, expected) => {
    const who = holder(name);
    const reads = ['/portfolio/orders', '/portfolio/fills', '/portfolio/positions', '/portfolio/balance'];
    for (const path of [...reads, '/portfolio/settlements', '/historical/orders'])
      expect([path, (await who.get(path)).status]).toEqual([path, expected.read]);
    expect((await who.get('/api_keys')).status).toBe(expected.keys);
    expect((await who.order({ price: '0.0100', count: '1' })).status).toBe(expected.order);
    expect((await move(who)).status).toBe(expected.move);
    const cancel = await who.call('DELETE', `${ORDERS}/97ec18b7-10d3-4557-9de0-8598aad625f0`);
    expect(cancel.status).toBe(expected.order === 201 ? 404 : 403);
  });

  it('read::portfolio_balance reads the balance alone', async () => {
    const scopes = ['read::portfolio_balance'] as const;
    const who = new KalshiTrader(await sandbox.addAccount({ scopes, keyType: 'ed25519' }));
    expect((await who.get('/portfolio/balance')).status).toBe(200);
    expect(await who.get('/portfolio/orders')).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } });
    expect((await who.get('/portfolio/balance', '?subaccount=1')).status).toBe(200);
  });

  it('a missing scope shows only to whoever signs', async () => {
    const answer = await holder('read').call('POST', ORDERS, { body: {}, bend: { signedPath: '/other' } });
    expect(answer.status).toBe(401);
  });

  it('kalshi.md 2.2 a bound key acts on its subaccount, named or not, and sees nothing of the others', async () => {
    const bound = holder('subaccount');
    const mine = idOf(await bound.order({ ticker: CRYPTO, price: '0.2000' }));
    await bound.order({ ticker: CRYPTO, price: '0.9000', count: '1', time_in_force: 'immediate_or_cancel' });
    const theirs = idOf(await owner.order({ ticker: CRYPTO, price: '0.2000' }));
    const query = `?market_ticker=${CRYPTO}`;
    for (const filter of ['', '&subaccount=1']) {
      const orders = list(await bound.get('/portfolio/orders', `?ticker=${CRYPTO}&status=resting${filter}`), 'orders');
      expect(orders.map((order) => [order.order_id, order.subaccount_number])).toEqual([[mine, 1]]);
    }
    expect((await bound.get(`/portfolio/orders/${mine}`, query)).status).toBe(200);
    expect((await bound.get(`/portfolio/orders/${theirs}`, query)).status).toBe(404);
    expect((await bound.call('DELETE', `${ORDERS}/${theirs}`, { query })).status).toBe(404);
    expect(list(await bound.get('/portfolio/positions'), 'market_positions')).toHaveLength(1);
    const { body } = await bound.get('/portfolio/balance', '?exchange_index=2');
    // 250 less 10 × 0.20, 0.63 and a fee of 0.07 × 0.63 × 0.37, rounded up to 0.0164
    expect(body).toMatchObject({ balance_dollars: '247.3536' });
    expect(body).not.toHaveProperty('balance_breakdown');
    expect((await bound.call('DELETE', `${ORDERS}/${mine}`, { query })).status).toBe(200);
  });

  it.each([
    ['GET', '/api_keys', ''],
    ['GET', '/portfolio/subaccounts/balances', ''],
    ['GET', `${TRANSFERS}s`, ''],
    ['POST', TRANSFERS, ''],
    ['GET', '/portfolio/summary/total_resting_order_value', ''],
    ['GET', '/portfolio/orders', '?subaccount=0'],
    ['GET', '/portfolio/balance', '?subaccount=2'],
    ['GET', '/historical/fills', '?subaccount=0'],
    ['DELETE', `${ORDERS}/97ec18b7-10d3-4557-9de0-8598aad625f0`, '?subaccount=0'],
  ])('kalshi.md 2.2 a bound key is refused %s %s%s', async (method, path, query) => {
    expect(await holder('subaccount').call(method, path, { query })).toEqual(RESTRICTED);
  });

  it('kalshi.md 2.2 a bound key is refused orders of other subaccounts, in a batch item by item', async () => {
    const bound = holder('subaccount');
    expect(await bound.order({ subaccount: 0 })).toEqual(RESTRICTED);
    const order_id = idOf(await bound.order({ price: '0.0100' }));
    const orders = [{ order_id, subaccount: 0 }, { order_id }];
    const answer = await bound.call('DELETE', `${ORDERS}/batched`, { body: { orders } });
    expect(list(answer, 'orders')).toMatchObject([
      { reduced_by: '0.00', error: { code: 'forbidden' } },
      { reduced_by: '10.00' },
    ]);
  });
});

import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FaultList } from '../../wire/faults.js';
import { isRecord } from '../../wire/json.js';
import { RequestLog } from '../../wire/request-log.js';
import { KalshiSandbox } from '../sandbox.js';
import { type Answer, KalshiTrader } from '../trader.js';

const ROUTE = '/portfolio/intra_exchange_instance_transfer';
const CRYPTO = 'KXBTCD-FRIDAY-T110000';

function list({ body }: Answer, name: string): Record<string, unknown>[] {
  const value = isRecord(body) ? body[name] : undefined;
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function idOf({ status, body }: Answer): string {
  expect([status, status === 200 ? '' : body]).toEqual([200, '']);
  return isRecord(body) ? String(body.transfer_id) : '';
}

describe('Kalshi transfers between shards', () => {
  let offset = 0;
  let sandbox: KalshiSandbox;
  let client: KalshiTrader;
  const clock = (): Date => new Date(Date.now() + offset);

  beforeEach(async () => {
    offset = 0;
    sandbox = await KalshiSandbox.start({ faults: new FaultList(), log: new RequestLog(), clock, keyType: 'ed25519' });
    sandbox.exchange.transfers.delayMs = 60_000;
    client = new KalshiTrader(sandbox.account, () => clock().getTime());
  });

  afterEach(async () => {
    await sandbox.close();
  });

  function move(overrides: Record<string, unknown> = {}, who = client): Promise<Answer> {
    const instances = { source: 'event_contract', destination: 'event_contract' };
    const shards = { source_exchange_shard: 0, destination_exchange_shard: 3 };
    return who.call('POST', ROUTE, { body: { ...instances, ...shards, amount: 250_000, ...overrides } });
  }

  async function money(query = ''): Promise<unknown[]> {
    return list(await client.get('/portfolio/balance', query), 'balance_breakdown').map(({ balance }) => balance);
  }

  it('kalshi.md 9.4 takes centicents at once and lets dollars arrive when the transfer is complete', async () => {
    const id = idOf(await move());
    expect(await money()).toEqual(['9975.0000', '0.0000', '2500.0000', '1500.0000']);
    const transfer = {
      transfer_id: id,
      source: 'event_contract',
      destination: 'event_contract',
      source_exchange_shard: 0,
      destination_exchange_shard: 3,
      amount: '25.0000',
      status: 'pending',
      created_ts: expect.any(Number),
    };
    expect(await client.get(`${ROUTE}s/${id}`)).toEqual({ status: 200, body: { transfer } });
    offset = 61_000;
    expect(await money()).toEqual(['9975.0000', '0.0000', '2500.0000', '1525.0000']);
    expect((await client.get(`${ROUTE}s/${id}`)).body).toEqual({ transfer: { ...transfer, status: 'complete' } });
    expect((await client.get(`${ROUTE}s/${randomUUID()}`)).status).toBe(404);
  });

  it('funds a shard that never held money, down to a hundredth of a cent', async () => {
    sandbox.exchange.transfers.delayMs = 0;
    expect((await client.order({ ticker: 'KXMVECROSS-S1-01', price: '0.1000', count: '1' })).status).toBe(404);
    idOf(await move({ source_exchange_shard: 2, destination_exchange_shard: 1, amount: 1_001 }));
    expect(await money()).toEqual(['10000.0000', '0.1001', '2499.8999', '1500.0000']);
    expect((await client.order({ ticker: 'KXMVECROSS-S1-01', price: '0.1000', count: '1' })).status).toBe(201);
    expect((await client.order({ ticker: 'KXMVECROSS-S1-01', price: '0.1000', count: '1' })).status).toBe(400);
  });

  it('kalshi.md 9.4 an accepted client_transfer_id moves money once; a refused one may come again', async () => {
    const client_transfer_id = randomUUID();
    expect((await move({ client_transfer_id, amount: 999_999_999 })).status).toBe(400);
    idOf(await move({ client_transfer_id }));
    expect(await move({ client_transfer_id })).toMatchObject({
      status: 409,
      body: { error: { code: 'transfer_already_exists' } },
    });
    for (const other of [{ amount: 1 }, { destination_exchange_shard: 2 }, { source_exchange_shard: 2 }])
      expect((await move({ client_transfer_id, ...other })).status).toBe(400);
    expect(await money()).toEqual(['9975.0000', '0.0000', '2500.0000', '1500.0000']);
    idOf(await move());
    idOf(await move());
    expect(list(await client.get(`${ROUTE}s`), 'transfers')).toHaveLength(3);
    const stranger = new KalshiTrader(await sandbox.addAccount({ keyType: 'ed25519' }), () => clock().getTime());
    idOf(await move({ client_transfer_id }, stranger));
    expect(list(await stranger.get(`${ROUTE}s`), 'transfers')).toHaveLength(1);
  });

  it.each([
    [{ source: undefined }],
    [{ destination: 'elsewhere' }],
    [{ destination: 'margined' }],
    [{ amount: undefined }],
    [{ amount: 0 }],
    [{ amount: -1 }],
    [{ amount: 1.5 }],
    [{ amount: '250000' }],
    [{ amount: 100_000_001 }],
    [{ source_exchange_shard: 1 }],
    [{ destination_exchange_shard: 0 }],
    [{ destination_exchange_shard: 4 }],
    [{ destination_exchange_shard: 101 }],
    [{ source_exchange_shard: '0' }],
    [{ client_transfer_id: 'mine' }],
    [{ client_transfer_id: '5b8f1d6e-9a27-4c3b-8e64-0d7f2a1c9b35', destination_subaccount: 1 }],
    [{ destination_subaccount: 9 }],
  ])('refuses %j and moves nothing', async (overrides) => {
    expect((await move(overrides)).status).toBe(400);
    expect(await money()).toEqual(['10000.0000', '0.0000', '2500.0000', '1500.0000']);
    expect(list(await client.get(`${ROUTE}s`), 'transfers')).toEqual([]);
  });

  it('does not move what orders hold back, nor over a shard that takes no transfers', async () => {
    await client.order({ ticker: CRYPTO, price: '0.5000', count: '4990' });
    const away = { source_exchange_shard: 2, destination_exchange_shard: 0 };
    expect((await move({ ...away, amount: 50_001 })).status).toBe(400);
    sandbox.exchange.changeShard(2, { transfersActive: false }, Date.now());
    expect((await move({ ...away, amount: 50_000 })).status).toBe(503);
    sandbox.exchange.changeShard(2, { transfersActive: true }, Date.now());
    idOf(await move({ ...away, amount: 50_000 }));
    expect(await money()).toEqual(['10000.0000', '0.0000', '0.0000', '1500.0000']);
  });

  it('pages the history, newest first, and lists subaccounts apart from it', async () => {
    sandbox.exchange.transfers.delayMs = 0;
    const ids = [idOf(await move()), idOf(await move()), idOf(await move())].reverse();
    const first = await client.get(`${ROUTE}s`, '?limit=2');
    const cursor = isRecord(first.body) ? String(first.body.cursor) : '';
    const second = await client.get(`${ROUTE}s`, `?limit=2&cursor=${cursor}`);
    const seen = [...list(first, 'transfers'), ...list(second, 'transfers')].map(({ transfer_id: id }) => id);
    expect(seen).toEqual(ids);
    expect(second.body).toMatchObject({ cursor: '' });
    expect((await client.get(`${ROUTE}s`, '?limit=501')).status).toBe(400);
    sandbox.exchange.keys.find(sandbox.account.access_key)?.account.openSubaccount(9, Date.now());
    idOf(await move({ destination_exchange_shard: 0, destination_subaccount: 9 }));
    expect(list(await client.get(`${ROUTE}s`), 'transfers')).toHaveLength(3);
    expect(await money('?subaccount=9')).toEqual(['25.0000', '0.0000', '0.0000', '0.0000']);
    const rows = list(await client.get('/portfolio/subaccounts/balances'), 'subaccount_balances');
    expect(rows).toContainEqual(
      expect.objectContaining({ subaccount_number: 9, exchange_index: 0, balance: '25.0000' }),
    );
    expect(rows.map(({ exchange_index: shard }) => shard)).not.toContain(1);
  });

  it('kalshi.md 7.3 shows what resting orders hold back, by shard', async () => {
    const value = (): Promise<Answer> => client.get('/portfolio/summary/total_resting_order_value');
    expect((await value()).body).toEqual({ total_resting_order_value: 0, resting_order_value_breakdown: [] });
    await client.order({ price: '0.0750', count: '100', ticker: 'KXFEDDECISION-NEXT-C26', side: 'ask' });
    await client.order({ ticker: CRYPTO, price: '0.5000' });
    expect((await value()).body).toEqual({
      total_resting_order_value: 9_750,
      resting_order_value_breakdown: [
        { exchange_index: 0, balance: '92.5000' },
        { exchange_index: 2, balance: '5.0000' },
      ],
    });
  });
});

import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KalshiTrader } from './kalshi/trader.js';
import { type Sandbox, startSandbox } from './sandbox.js';

const ORDERS = '/trade-api/v2/portfolio/events/orders';

describe('startSandbox', () => {
  let dataDir: string;
  let sandbox: Sandbox;
  let client: KalshiTrader;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'sandbox-'));
    sandbox = await startSandbox({ dataDir: join(dataDir, 'new') });
    client = new KalshiTrader(sandbox.kalshi.account);
  });

  afterAll(async () => {
    await sandbox.close();
    await rm(dataDir, { recursive: true });
  });

  async function arm(fault: object): Promise<Response> {
    const body = JSON.stringify({ exchange: 'kalshi', method: 'POST', path: ORDERS, times: 1, ...fault });
    return fetch(`${sandbox.controlUrl}/faults`, { method: 'POST', body });
  }

  it('contract.md 7 writes sandbox.json for the owner alone, in the agreed shape, and nothing beside it', async () => {
    const file = join(dataDir, 'new', 'sandbox.json');
    const content: unknown = JSON.parse(await readFile(file, 'utf8'));
    const url = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+/);
    const ws_url = expect.stringMatching(/^ws:\/\/127\.0\.0\.1:\d+\//);
    const pair = { access_key: expect.any(String), private_key: expect.stringContaining('PRIVATE KEY') };
    expect(content).toEqual({
      control_url: url,
      kalshi: {
        api_url: url,
        ws_url,
        ...pair,
        keys: ['read', 'read_trade', 'read_trade_transfer', 'trade', 'subaccount'].map((name) => ({ name, ...pair })),
      },
      polymarket: {
        clob_url: url,
        gamma_url: url,
        data_url: url,
        wallet_address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
        wallet_private_key: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        api_key: expect.any(String),
        secret: expect.any(String),
        passphrase: expect.any(String),
        relayer_url: url,
        ws_url,
        builder: { api_key: expect.any(String), secret: expect.any(String), passphrase: expect.any(String) },
        deposit_wallet: {
          address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
          owner_private_key: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        },
      },
    });
    expect(content).toEqual(sandbox.addresses);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(dataDir, 'new'))).toEqual(['sandbox.json']);
  });

  it('makes new keys at each start', async () => {
    const other = await startSandbox();
    try {
      expect(other.kalshi.account.access_key).not.toBe(sandbox.kalshi.account.access_key);
      expect(other.polymarket.account.api_key).not.toBe(sandbox.polymarket.account.api_key);
    } finally {
      await other.close();
    }
  });

  it('contract.md 7 a reset after accepting leaves an order that its client order id finds again', async () => {
    expect((await arm({ fault: 'reset_after' })).status).toBe(201);
    await expect(client.order({ client_order_id: 'lost', price: '0.0100' })).rejects.toThrow('fetch failed');
    expect((await client.order({ client_order_id: 'lost', price: '0.0100' })).status).toBe(409);
    const { body } = await client.get('/portfolio/orders', '?status=resting');
    expect(body).toMatchObject({ orders: [{ client_order_id: 'lost' }] });
  });

  it('contract.md 7 a reset before accepting leaves no order', async () => {
    await arm({ fault: 'reset_before' });
    await expect(client.order({ client_order_id: 'never' })).rejects.toThrow('fetch failed');
    expect((await client.order({ client_order_id: 'never', price: '0.0100' })).status).toBe(201);
  });

  it.each([
    [429, { error: 'too many requests' }],
    [503, { error: { code: 'service_unavailable', message: 'service unavailable' } }],
    [500, { error: { code: 'internal_server_error', message: 'internal server error' } }],
    [404, { error: { code: 'not_found', message: 'not found' } }],
  ])('contract.md 7 a status %d comes with the error body of the exchange', async (status, body) => {
    await arm({ fault: 'status', status });
    expect(await client.order()).toEqual({ status, body });
  });

  it('contract.md 7 shows the signed request as it arrived', async () => {
    await client.get('/portfolio/balance', '?subaccount=0');
    const answer = await fetch(`${sandbox.controlUrl}/requests?exchange=kalshi`);
    const requests: unknown = await answer.json();
    expect(Array.isArray(requests) ? requests.at(-1) : undefined).toMatchObject({
      exchange: 'kalshi',
      method: 'GET',
      path: '/trade-api/v2/portfolio/balance',
      query: 'subaccount=0',
      headers: { 'kalshi-access-key': sandbox.kalshi.account.access_key },
    });
  });
});

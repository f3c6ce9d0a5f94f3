import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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

  it.each([
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

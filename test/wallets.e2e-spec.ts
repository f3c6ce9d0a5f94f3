import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Chain, ClobClient, Side } from '@polymarket/clob-client-v2';
import request, { type Response } from 'supertest';
import { createWalletClient, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { type Trader, aTrader, startTestStand, type TestStand } from './support/sandbox.js';

const ALIENS = '107505882767731489358349912513945399560393482969656700824895970500493757150417';

let stand: TestStand;
let trader: Trader;
let wallet: ClobClient;

beforeAll(async () => {
  stand = await startTestStand();
  trader = await aTrader(stand);
  const { clob_url: host, wallet_private_key } = stand.sandbox.addresses.polymarket;
  const account = privateKeyToAccount(`0x${wallet_private_key.replace(/^0x/, '')}`);
  // No call of the client goes to a chain; the transport is there for the type.
  const signer = createWalletClient({ account, transport: http('http://127.0.0.1:9') });
  wallet = new ClobClient({ host, chain: Chain.POLYGON, signer });
});
afterAll(() => stand.close());

async function post(body: object, key: string): Promise<Response> {
  const agent = request(stand.app.url).post('/polymarket/orders').auth(trader.key, { type: 'bearer' });
  return agent.set('Idempotency-Key', key).send(body);
}

describe("contract.md 5 an order as Polymarket's official client signs it", () => {
  it('unified-schema.md 7 is taken exactly as createOrder gives it', async () => {
    const signed_order = await wallet.createOrder({ tokenID: ALIENS, price: 0.01, size: 10, side: Side.BUY });
    const answer = await post({ signed_order }, 'as-emitted');
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ side: 'buy', price: '0.01', size: '10' });
    const sent = stand.sandbox.log.list('polymarket').filter(({ method }) => method === 'POST');
    expect(JSON.parse(sent.at(-1)?.body ?? '')).toMatchObject({ order: { salt: Number(signed_order.salt) } });
  });

  it('contract.md 5 is the same request whether its salt comes as digits or as a number', async () => {
    const signed_order = await wallet.createOrder({ tokenID: ALIENS, price: 0.01, size: 12, side: Side.BUY });
    const made = await post({ signed_order }, 'two-spellings');
    const again = await post({ signed_order: { ...signed_order, salt: Number(signed_order.salt) } }, 'two-spellings');
    expect([made.status, again.status]).toEqual([200, 200]);
    expect(again.headers).toMatchObject({ 'idempotency-replayed': 'true' });
    expect(again.body).toEqual({ ...(made.body as object), replayed: true });
  });
});

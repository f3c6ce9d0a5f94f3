import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import supertest from 'supertest';
import { unixSeconds } from '../sandbox/times.js';
import { l2Signature } from '../sandbox/polymarket/signing/l2-signature.js';
import { authoriseCall, revokeCall } from '../sandbox/polymarket/signing/session-calls.js';
import { SandboxWallet } from '../sandbox/polymarket/signing/wallet.js';
import { startTestStand, type TestStand } from './support/sandbox.js';
import { anApiKey, aUser, type TestUser } from './support/users.js';

const SESSION_KEY = '/account/credentials/polymarket/session-key';
const LIFE_S = 15_534_000;
const V1_MARKET = '0x747dc809fb79e1b05be09c42d6179459a58de2ef3e40f02484a4e1260f741f75';
const V2_MARKET = `0x013009decfd1e0532df9db26862e9635ef${'0'.repeat(30)}`;

/** From an account without credentials to a filled order of Polymarket, against the sandbox alone (contract.md 7). */
describe('a session key against the sandbox (contract.md 7)', () => {
  let stand: TestStand;

  beforeAll(async () => {
    stand = await startTestStand();
  });
  afterAll(() => stand.close());

  interface Trader {
    user: TestUser;
    key: string;
    /** Of the session key that waits. */
    address: string;
  }

  async function ask(user: TestUser, method: 'post' | 'get', path: string, body?: object): Promise<supertest.Response> {
    return supertest(stand.app.url)[method](path).auth(user.token, { type: 'bearer' }).send(body);
  }

  async function aTrader(): Promise<Trader> {
    const user = await aUser(stand.app);
    const key = await anApiKey(stand.app, user, ['trade']);
    const wallet_address = stand.sandbox.addresses.polymarket.deposit_wallet.address;
    const made = await ask(user, 'post', SESSION_KEY, { wallet_address });
    expect(made.status).toBe(201);
    const { session_key } = made.body as { session_key: { address: string } };
    return { user, key, address: session_key.address };
  }

  async function order(key: string, fields: object): Promise<supertest.Response> {
    const body = { market_id: V2_MARKET, outcome: 'yes', side: 'buy', price: '0.99', size: '6', ...fields };
    return supertest(stand.app.url).post('/polymarket/orders').auth(key, { type: 'bearer' }).send(body);
  }

  async function control(method: 'POST' | 'DELETE', body: object): Promise<number> {
    const init = { method, body: JSON.stringify(body) };
    return (await fetch(`${stand.sandbox.controlUrl}/session-signers`, init)).status;
  }

  /** What the owner's command sends to the relayer. */
  async function relay(path: string, address: string): Promise<unknown> {
    const { relayer_url, builder, deposit_wallet } = stand.sandbox.addresses.polymarket;
    const owner = SandboxWallet.fromPrivateKey(deposit_wallet.owner_private_key);
    const params = `${relayer_url}/v1/account/transactions/params?address=${owner.address}&type=WALLET`;
    const { nonce } = (await (await fetch(params)).json()) as { nonce: string };
    const [now, wallet] = [unixSeconds(Date.now()), deposit_wallet.address];
    const isRevocation = path.endsWith('revocations');
    const data = isRevocation ? revokeCall(address) : authoriseCall(address, BigInt(now + LIFE_S));
    const deadline = BigInt(now + 600);
    const body = JSON.stringify({
      walletAddress: wallet,
      sessionSignerAddress: address,
      ...(isRevocation ? {} : { scopes: ['CLOB'], validUntil: String(now + LIFE_S) }),
      nonce,
      deadline: String(deadline),
      signature: owner.signWalletCall({ wallet, nonce: BigInt(nonce), deadline, data }),
    });
    const headers = {
      POLY_BUILDER_API_KEY: builder.api_key,
      POLY_BUILDER_PASSPHRASE: builder.passphrase,
      POLY_BUILDER_TIMESTAMP: String(now),
      POLY_BUILDER_SIGNATURE: l2Signature(builder.secret, String(now), { method: 'POST', path, body }),
      'Idempotency-Key': `${path}-${nonce}`,
    };
    return (await fetch(`${relayer_url}${path}`, { method: 'POST', headers, body })).json();
  }

  it('trades by a key that the owner authorised through the relayer, while the exchange still learns of it', async () => {
    const { user, key, address } = await aTrader();
    const none = await order(key, {});
    expect(none.body).toMatchObject({
      error: { code: 'credentials_not_configured', details: { reason: 'session_key_required' } },
    });
    expect(await relay('/v1/session-signers/authorizations', address)).toMatchObject({ status: 'REGISTRY_PENDING' });
    const active = await ask(user, 'post', `${SESSION_KEY}/activate`, {});
    expect([active.status, active.body]).toMatchObject([200, { session_key: { address, state: 'active' } }]);
    for (const market_id of [V1_MARKET, V2_MARKET]) {
      const placed = await order(key, { market_id });
      expect([placed.status, placed.body]).toMatchObject([200, { status: 'filled', filled_size: '6', type: 'limit' }]);
    }
    const resting = await order(key, { price: '0.02' });
    const { id } = resting.body as { id: string };
    expect(await relay('/v1/session-signers/revocations', address)).toMatchObject({ fenced: true });
    const seen = await supertest(stand.app.url).get(`/polymarket/orders/${id}`).auth(key, { type: 'bearer' });
    expect(seen.body).toMatchObject({ id, status: 'cancelled' });
    const refused = await order(key, { price: '0.03' });
    expect([refused.status, refused.body]).toMatchObject([
      503,
      { error: { details: { reason: 'session_key_settling' } } },
    ]);
  });

  it('trades by a key that the control server authorised, and two traders do not see each other', async () => {
    const [one, other] = [await aTrader(), await aTrader()];
    const wallet_address = stand.sandbox.addresses.polymarket.deposit_wallet.address;
    const valid_until = new Date(Date.now() + LIFE_S * 1000).toISOString();
    for (const { user, address } of [one, other]) {
      expect(await control('POST', { wallet_address, address, valid_until, usable_after_ms: 100 })).toBe(200);
      const active = await ask(user, 'post', `${SESSION_KEY}/activate`, { valid_until });
      expect(active.body).toMatchObject({ session_key: { address, state: 'active', valid_until } });
    }
    expect((await order(one.key, { price: '0.02' })).body).toMatchObject({ status: 'open' });
    const open = async ({ key }: Trader): Promise<unknown> =>
      (await supertest(stand.app.url).get('/polymarket/orders?status=open').auth(key, { type: 'bearer' })).body;
    expect(await open(one)).toMatchObject({ data: [{ price: '0.02' }] });
    expect(await open(other)).toMatchObject({ data: [] });
    expect(await control('DELETE', { wallet_address, address: one.address })).toBe(200);
    expect(await open(one)).toMatchObject({ data: [] });
    expect((await order(other.key, { price: '0.02' })).body).toMatchObject({ status: 'open' });
  });
});

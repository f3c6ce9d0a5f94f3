import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Sandbox, startSandbox } from '../sandbox.js';
import { SandboxWallet } from './signing/wallet.js';
import { aSessionTrader, PolymarketTrader, request } from './trader.js';

const V2_YES = BigInt(`0x013009decfd1e0532df9db26862e9635ef${'0'.repeat(30)}`).toString();

describe('POST /polymarket/wallets of the control server (contract.md 7)', () => {
  let sandbox: Sandbox;

  beforeAll(async () => {
    sandbox = await startSandbox();
  });
  afterAll(() => sandbox.close());

  async function set(change: object): Promise<unknown> {
    const path = `${sandbox.controlUrl}/polymarket/wallets`;
    const { status, body } = await request(path, { method: 'POST', body: JSON.stringify(change) });
    return { status, body };
  }

  it('takes the approval of ExchangeV3 away and gives it back, and keeps what is not named', async () => {
    const { account } = sandbox.polymarket;
    const trader = new PolymarketTrader(account.clob_url, account);
    const buy = { tokenId: V2_YES, side: 'BUY', price: '0.54', size: '5' } as const;
    const { wallet_address } = account;
    const standing = {
      wallet_address,
      exchange_v3: true,
      closed_only: false,
      banned: false,
      deposit_wallet_only: false,
    };
    expect(await set({ wallet_address })).toMatchObject({ status: 200, body: standing });
    await set({ wallet_address, exchange_v3: false });
    expect(await trader.post(trader.sign(buy))).toMatchObject({
      status: 400,
      body: { error: 'not enough balance / allowance' },
    });
    expect(await set({ wallet_address, deposit_wallet_only: true })).toMatchObject({
      body: { ...standing, exchange_v3: false, deposit_wallet_only: true },
    });
    await set({ wallet_address, exchange_v3: true, deposit_wallet_only: false });
    expect(await trader.post(trader.sign(buy))).toMatchObject({ status: 200, body: { status: 'matched' } });
  });

  it.each([
    [{}],
    [{ wallet_address: 'me' }],
    [{ wallet_address: `0x${'1'.repeat(40)}`, banned: 'yes' }],
    [{ wallet_address: `0x${'1'.repeat(40)}`, rich: true }],
  ])('refuses %j with a sentence', async (change) => {
    expect(await set(change)).toMatchObject({ status: 400, body: { error: expect.stringMatching(/\w+/) } });
  });
});

describe('session-signers of the control server (contract.md 7)', () => {
  let sandbox: Sandbox;
  let session: PolymarketTrader;

  beforeAll(async () => {
    sandbox = await startSandbox();
    const wallet = sandbox.addresses.polymarket.deposit_wallet.address;
    session = await aSessionTrader(sandbox.addresses.polymarket.clob_url, { key: SandboxWallet.random(), wallet });
  });
  afterAll(() => sandbox.close());

  async function call(method: 'POST' | 'DELETE', body: unknown): Promise<unknown> {
    const answer = await request(`${sandbox.controlUrl}/session-signers`, { method, body: JSON.stringify(body) });
    return { status: answer.status, body: answer.body };
  }

  function post(): Promise<unknown> {
    const maker = session.account.wallet_address;
    const terms = { tokenId: V2_YES, side: 'BUY', price: '0.02', size: '5', maker, signatureType: 3 } as const;
    return session.post(session.sign({ ...terms, session: true }));
  }

  const later = new Date(Date.now() + 3_600_000).toISOString();
  const anAddress = `0x${'1'.repeat(40)}`;
  const unknown = { status: 400, body: { error: expect.stringContaining('order signer address') } };

  it('authorises at once or after a delay, and revokes', async () => {
    const named = { wallet_address: session.account.wallet_address, address: session.wallet.address };
    const answer = { status: 200, body: { ...named, scopes: ['CLOB'], valid_until: later } };
    expect(await post()).toMatchObject(unknown);
    expect(await call('POST', { ...named, valid_until: later })).toEqual(answer);
    expect(await post()).toMatchObject({ status: 200 });
    expect(await call('DELETE', named)).toEqual({ status: 200, body: { ...named, revoked: true } });
    expect(await call('DELETE', named)).toEqual({ status: 200, body: { ...named, revoked: false } });
    expect(await post()).toMatchObject(unknown);
    await call('POST', { ...named, valid_until: later, usable_after_ms: 60_000 });
    expect(await post()).toMatchObject(unknown);
    await call('POST', { ...named, valid_until: '2026-01-01T00:00:00+01:00' });
    expect(await post()).toMatchObject(unknown);
  });

  it('takes the wallet of sandbox.json in any spelling and one that nobody knows', async () => {
    for (const wallet_address of [session.account.wallet_address.toLowerCase(), `0x${'2'.repeat(40)}`]) {
      expect(await call('POST', { wallet_address, address: anAddress, valid_until: later })).toMatchObject({
        status: 200,
      });
    }
  });

  it('refuses what is no deposit wallet and no key of its own', async () => {
    const { wallet_address: account, deposit_wallet } = sandbox.addresses.polymarket;
    const { address: wallet } = deposit_wallet;
    const owner = SandboxWallet.fromPrivateKey(deposit_wallet.owner_private_key).address;
    const v3 = '0xe3333700cA9d93003F00f0F71f8515005F6c00Aa';
    const refused = async (wallet_address: string, address: string, error: string): Promise<void> => {
      const answer = await call('POST', { wallet_address, address, valid_until: later });
      expect(answer).toEqual({ status: 400, body: { error } });
    };
    for (const one of [account, owner, v3]) await refused(one, anAddress, 'wallet_address is no deposit wallet.');
    await refused(wallet, wallet, 'The session key must not be the wallet itself.');
    await refused(wallet, owner.toLowerCase(), 'The session key must not be the key of the owner.');
    await refused(wallet, `0x${'0'.repeat(40)}`, 'The session key must not be the zero address.');
  });

  it.each([
    ['POST', { wallet_address: anAddress, address: anAddress }, 'valid_until'],
    ['POST', { wallet_address: anAddress, address: anAddress, valid_until: 'tomorrow' }, 'valid_until'],
    ['POST', { wallet_address: anAddress, address: anAddress, valid_until: 1_800_000_000 }, 'valid_until'],
    ['POST', { wallet_address: anAddress, address: 'me', valid_until: later }, 'address'],
    ['POST', { wallet_address: anAddress, address: anAddress, valid_until: later, scopes: [] }, 'scopes'],
    [
      'POST',
      { wallet_address: anAddress, address: anAddress, valid_until: later, usable_after_ms: -1 },
      'usable_after',
    ],
    ['DELETE', { wallet_address: anAddress }, 'address'],
    ['DELETE', undefined, 'expected object'],
  ] as const)('refuses %s of %j, naming %s', async (method, body, name) => {
    expect(await call(method, body)).toMatchObject({ status: 400, body: { error: expect.stringContaining(name) } });
  });
});

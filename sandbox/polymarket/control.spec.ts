import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Sandbox, startSandbox } from '../sandbox.js';
import { PolymarketTrader, request } from './trader.js';

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

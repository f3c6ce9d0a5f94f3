import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { unixSeconds } from '../../times.js';
import { FaultList } from '../../wire/faults.js';
import { RequestLog } from '../../wire/request-log.js';
import { type NewAccount, PolymarketSandbox } from '../sandbox.js';
import { type SessionScope } from '../signing/session-signers.js';
import { orderHash } from '../signing/typed-data.js';
import { type OrderTerms, SandboxWallet } from '../signing/wallet.js';
import { aSessionTrader, type Answer, PolymarketTrader } from '../trader.js';

const V2_YES = BigInt(`0x013009decfd1e0532df9db26862e9635ef${'0'.repeat(30)}`).toString();
const ALIENS = '107505882767731489358349912513945399560393482969656700824895970500493757150417';
const COLLATERAL = '/balance-allowance?asset_type=COLLATERAL&signature_type=3';
const NOT_OURS = 'the API KEY is neither the owner nor a usable session signer of a deposit wallet';
const SIGNER = 'the order signer address has to be the address of the API KEY';
const buy = { tokenId: V2_YES, side: 'BUY', price: '0.02', size: '10' } as const;

let sandbox: PolymarketSandbox;
let now = new Date('2026-11-21T12:00:00.250Z');
const clock = (): Date => now;

beforeAll(async () => {
  sandbox = await PolymarketSandbox.start({ faults: new FaultList(), log: new RequestLog(), clock });
});
afterAll(() => sandbox.close());

function pass(ms: number): void {
  now = new Date(now.getTime() + ms);
}

function aTrader(options: NewAccount = {}): PolymarketTrader {
  return new PolymarketTrader(sandbox.account.clob_url, sandbox.addAccount(options), clock);
}

function refused(error: string, status = 400): object {
  return { status, body: { error } };
}

interface Authorisation {
  usableAfterMs?: number;
  validForMs?: number;
  scopes?: readonly SessionScope[];
}

/** A key with API credentials that were made before anybody authorised it. */
async function aKey(wallet: string): Promise<{ key: SandboxWallet; session: PolymarketTrader }> {
  const key = SandboxWallet.random();
  return { key, session: await aSessionTrader(sandbox.account.clob_url, { key, wallet }, clock) };
}

function authorise(wallet: string, address: string, of: Authorisation = {}): void {
  const validUntil = new Date(now.getTime() + (of.validForMs ?? 60_000));
  sandbox.authoriseSession(wallet, { address, validUntil, scopes: of.scopes ?? ['CLOB'] }, of);
}

function place(session: PolymarketTrader, maker: string, terms: Partial<OrderTerms> = {}): Promise<Answer> {
  return session.post(session.sign({ ...buy, maker, signatureType: 3, session: true, ...terms }));
}

async function openIds(trader: PolymarketTrader): Promise<string[]> {
  const { body } = await trader.call('GET', '/data/orders');
  return (body as { data: { id: string }[] }).data.map(({ id }) => id);
}

describe('session keys (polymarket.md 11)', () => {
  let owner: PolymarketTrader;
  let wallet: string;
  let key: SandboxWallet;
  let session: PolymarketTrader;

  beforeEach(async () => {
    owner = aTrader({ signatureType: 3 });
    wallet = owner.account.wallet_address;
    ({ key, session } = await aKey(wallet));
  });

  it.each([
    ['V1', { tokenId: ALIENS, price: '0.01' }],
    ['V2', { tokenId: V2_YES, price: '0.02' }],
  ])('trade for the deposit wallet in a %s market with API credentials made before', async (_which, where) => {
    expect(await place(session, wallet, where)).toMatchObject(refused(SIGNER));
    expect(await session.call('GET', COLLATERAL)).toMatchObject(refused(NOT_OURS));
    authorise(wallet, key.address);
    expect((await session.call('GET', COLLATERAL)).body).toMatchObject({ balance: '10000000000' });
    const order = session.sign({ ...buy, ...where, maker: wallet, signatureType: 3, session: true });
    expect((order.signature.length - 2) / 2).toBe(480);
    expect(await session.post(order)).toMatchObject({ status: 200, body: { status: 'live' } });
    expect(await session.post(order)).toMatchObject(
      refused(`order ${orderHash(order, false)} is invalid. Duplicated.`),
    );
  });

  it('keep orders and trades from the owner and each other; positions and balance are the wallet’s', async () => {
    const other = await aKey(wallet);
    authorise(wallet, key.address);
    authorise(wallet, other.key.address);
    const terms = { price: '0.99', size: '10' };
    const { body } = await place(session, wallet, terms);
    expect(body).toMatchObject({ status: 'matched' });
    const [id = ''] = (body as { tradeIDs: string[] }).tradeIDs;
    await place(session, wallet);
    const [resting = ''] = await openIds(session);
    const seen = async (who: PolymarketTrader): Promise<unknown> => {
      const { body: trades } = await who.call('GET', '/data/trades');
      const { status } = await who.call('GET', `/data/order/${resting}`);
      return [(await openIds(who)).length, (trades as { data: unknown[] }).data.length, status];
    };
    expect(await Promise.all([session, owner, other.session].map(seen))).toEqual([
      [1, 1, 200],
      [0, 0, 404],
      [0, 0, 404],
    ]);
    expect((await session.call('GET', `/data/trades?id=${id}&maker_address=${wallet}`)).body).toMatchObject({
      count: 1,
    });
    for (const who of [owner, other.session]) {
      expect((await who.call('DELETE', '/order', { orderID: resting })).body).toMatchObject({ canceled: [] });
      expect((await who.call('DELETE', '/cancel-all')).body).toMatchObject({ canceled: [] });
    }
    const shares = `/balance-allowance?asset_type=CONDITIONAL-V2&token_id=${V2_YES}&signature_type=3`;
    const holding = await Promise.all([session, owner, other.session].map((who) => who.call('GET', shares)));
    expect(holding.map((answer) => answer.body)).toEqual(
      holding.map(() => expect.objectContaining({ balance: '10000000' })),
    );
  });

  it('are refused before the exchange knows them, after their time, and with another scope', async () => {
    authorise(wallet, key.address, { usableAfterMs: 30_000 });
    pass(29_999);
    expect(await place(session, wallet)).toMatchObject(refused(SIGNER));
    expect(await session.call('GET', COLLATERAL)).toMatchObject(refused(NOT_OURS));
    pass(1);
    expect(await place(session, wallet)).toMatchObject({ status: 200 });
    pass(30_000);
    expect(await place(session, wallet, { size: '11' })).toMatchObject(refused(SIGNER));
    authorise(wallet, key.address, { scopes: ['COMBOSRFQ'] });
    expect(await place(session, wallet, { size: '11' })).toMatchObject(refused(SIGNER));
    authorise(wallet, key.address, { scopes: ['ALL'] });
    expect(await place(session, wallet, { size: '11' })).toMatchObject({ status: 200 });
  });

  it('lose their own open orders for that wallet when they are revoked, and nobody else’s', async () => {
    const [other, second] = [await aKey(wallet), aTrader({ signatureType: 3 })];
    const elsewhere = second.account.wallet_address;
    for (const [account, address] of [
      [wallet, key.address],
      [wallet, other.key.address],
      [elsewhere, key.address],
    ] as const) {
      authorise(account, address);
    }
    await place(session, wallet);
    await place(session, elsewhere, { size: '12' });
    await place(other.session, wallet);
    await owner.post(owner.sign({ ...buy, signatureType: 3 }));
    const [mine = ''] = await openIds(session);
    expect(sandbox.revokeSession(wallet.toLowerCase(), key.address.toLowerCase())).toBe(true);
    expect((await session.call('GET', `/data/order/${mine}`)).body).toMatchObject({ status: 'CANCELED' });
    expect(await openIds(session)).toHaveLength(1);
    expect(await openIds(other.session)).toHaveLength(1);
    expect(await openIds(owner)).toHaveLength(1);
    expect(await place(session, wallet)).toMatchObject(refused(SIGNER));
    expect(sandbox.revokeSession(wallet, key.address)).toBe(false);
    expect(sandbox.revokeSession(wallet, owner.wallet.address)).toBe(false);
    expect(await openIds(owner)).toHaveLength(1);
  });

  it('are refused for another wallet, without the outer layer, and with the key of the owner', async () => {
    authorise(wallet, key.address);
    const other = aTrader({ signatureType: 3 }).account.wallet_address;
    expect(await place(session, other)).toMatchObject(refused(SIGNER));
    const order = session.sign({ ...buy, maker: wallet, signatureType: 3, session: true });
    expect(await owner.post(order)).toMatchObject(refused(SIGNER));
    expect(await session.post(order, { owner: owner.credentials.apiKey })).toMatchObject(
      refused('the order owner has to be the owner of the API KEY'),
    );
    expect(await place(session, wallet, { session: false })).toMatchObject(refused('invalid signature'));
    const stranger = SandboxWallet.random().signOrder({ ...buy, maker: wallet, signatureType: 3, session: true });
    expect(await session.post(stranger)).toMatchObject(refused(SIGNER));
  });

  it('are listed for the owner while they can be used, and for nobody else', async () => {
    const list = (who: PolymarketTrader): Promise<Answer> => who.call('GET', '/v1/user/session-signers');
    expect(await list(owner)).toMatchObject({ status: 200, body: { wallet, signers: [] } });
    authorise(wallet.toLowerCase(), key.address.toLowerCase(), { usableAfterMs: 1_000, scopes: ['CLOB', 'COMBOSRFQ'] });
    expect((await list(owner)).body).toEqual({ wallet, signers: [] });
    const valid_until = unixSeconds(now.getTime() + 60_000);
    pass(1_000);
    const scopes = ['CLOB', 'COMBOSRFQ'];
    expect((await list(owner)).body).toEqual({ wallet, signers: [{ address: key.address, scopes, valid_until }] });
    const notOwner = refused('the API KEY is not that of the owner of a deposit wallet');
    for (const who of [session, aTrader()]) expect(await list(who)).toMatchObject(notOwner);
    pass(59_000);
    expect((await list(owner)).body).toEqual({ wallet, signers: [] });
  });

  it('get no play money, may serve two wallets, and answer for the newest', async () => {
    const [first, second] = [wallet, aTrader({ signatureType: 3, balance: '7' }).account.wallet_address];
    const fresh = SandboxWallet.random();
    authorise(first, fresh.address);
    authorise(second, fresh.address);
    const trader = await aSessionTrader(sandbox.account.clob_url, { key: fresh, wallet: second }, clock);
    expect((await trader.call('GET', COLLATERAL)).body).toMatchObject({ balance: '7000000' });
    expect((await trader.call('GET', COLLATERAL.replace('3', '0'))).body).toMatchObject({ balance: '0' });
    expect(await place(trader, first)).toMatchObject({ status: 200 });
    authorise(first, fresh.address);
    expect((await trader.call('GET', COLLATERAL)).body).toMatchObject({ balance: '10000000000' });
  });

  it('trade for a wallet that nobody knew, which its owner can claim', async () => {
    const stranger = SandboxWallet.random();
    const unknown = stranger.accountWallet(3);
    authorise(unknown, key.address);
    expect((await session.call('GET', COLLATERAL)).body).toMatchObject({ balance: '10000000000' });
    expect(await place(session, unknown)).toMatchObject({ status: 200 });
    const claimer = await aSessionTrader(sandbox.account.clob_url, { key: stranger, wallet: unknown }, clock);
    expect(await claimer.call('GET', COLLATERAL)).toMatchObject(refused(NOT_OURS));
    expect(await claimer.post(claimer.sign({ ...buy, signatureType: 3 }))).toMatchObject({ status: 200 });
    expect((await claimer.call('GET', COLLATERAL)).body).toMatchObject({ balance: '10000000000' });
    expect(await place(session, unknown, { size: '11' })).toMatchObject({ status: 200 });
  });
});

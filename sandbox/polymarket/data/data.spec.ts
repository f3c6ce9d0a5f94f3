import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FaultList } from '../../wire/faults.js';
import { RequestLog } from '../../wire/request-log.js';
import { PolymarketSandbox } from '../sandbox.js';
import { type Answer, request, PolymarketTrader } from '../trader.js';

const NEWSOM = '59875190760595879086210047068932732543507232128320818147490565132631198483666';
const NEWSOM_NO = '53844971478408767902278991416886360743977200667223736108650344517429290743855';
const WON = '47744211227487542019752180049325719643202073349878869069404741823489101696247';

let sandbox: PolymarketSandbox;

beforeAll(async () => {
  sandbox = await PolymarketSandbox.start({ faults: new FaultList(), log: new RequestLog(), clock: () => new Date() });
});
afterAll(() => sandbox.close());

function aTrader(options: Parameters<PolymarketSandbox['addAccount']>[0] = {}): PolymarketTrader {
  return new PolymarketTrader(sandbox.account.clob_url, sandbox.addAccount(options));
}

function data(path: string): Promise<Answer> {
  return request(`${sandbox.account.data_url}${path}`);
}

describe('GET /positions and /value (polymarket.md 8)', () => {
  it('keeps cost, average and realised profit of what is bought and sold', async () => {
    const trader = aTrader();
    const user = trader.account.wallet_address;
    const newsom = { tokenId: NEWSOM, negRisk: true, size: '20' };
    await trader.post(trader.sign({ ...newsom, side: 'BUY', price: '0.246' }));
    await trader.post(trader.sign({ ...newsom, side: 'SELL', price: '0.244', size: '5' }));
    expect(await data(`/positions?user=${user.toLowerCase()}`)).toMatchObject({
      status: 200,
      body: [
        {
          asset: NEWSOM,
          size: 15,
          avgPrice: 0.246,
          initialValue: 3.69,
          currentValue: 3.675,
          cashPnl: -0.015,
          totalBought: 20,
          realizedPnl: -0.01,
          curPrice: 0.245,
          outcomeIndex: 0,
          oppositeAsset: NEWSOM_NO,
          redeemable: false,
          mergeable: false,
          negativeRisk: true,
        },
      ],
    });
    expect(await data(`/value?user=${user}`)).toMatchObject({ body: [{ user, value: 3.675 }] });
  });

  it('hides positions under one share unless sizeThreshold says otherwise', async () => {
    const user = aTrader({ shares: { [NEWSOM]: '0.5', [NEWSOM_NO]: '3' } }).account.wallet_address;
    expect((await data(`/positions?user=${user}`)).body).toMatchObject([{ asset: NEWSOM_NO, mergeable: true }]);
    expect((await data(`/positions?user=${user}&sizeThreshold=0`)).body).toMatchObject([{ size: 3 }, { size: 0.5 }]);
    const page = await data(`/positions?user=${user}&sizeThreshold=0&limit=1&offset=1&sortDirection=ASC`);
    expect(page.body).toMatchObject([{ size: 3 }]);
  });

  it('shows a settled winner as redeemable at its payout', async () => {
    const user = aTrader({ shares: { [WON]: '40', [NEWSOM]: '2' } }).account.wallet_address;
    expect((await data(`/positions?user=${user}&redeemable=true`)).body).toMatchObject([
      { asset: WON, curPrice: 1, currentValue: 40, redeemable: true, outcome: 'No' },
    ]);
    expect((await data(`/positions?user=${user}&eventId=30829`)).body).toMatchObject([{ asset: NEWSOM }]);
    expect((await data(`/positions?user=${user}&eventId=30829&market=0x${'0'.repeat(64)}`)).status).toBe(400);
  });

  it('asks for a user and says so', async () => {
    expect(await data('/positions')).toMatchObject({
      status: 400,
      body: { error: 'required query param user not provided' },
    });
    expect(await data('/value?user=0x12')).toMatchObject({ status: 400 });
  });
});

describe('GET /closed-positions (polymarket.md 8)', () => {
  it('lists what was sold out, with its profit', async () => {
    const trader = aTrader();
    const user = trader.account.wallet_address;
    const newsom = { tokenId: NEWSOM, negRisk: true, size: '10' };
    await trader.post(trader.sign({ ...newsom, side: 'BUY', price: '0.246' }));
    expect((await data(`/closed-positions?user=${user}`)).body).toEqual([]);
    await trader.post(trader.sign({ ...newsom, side: 'SELL', price: '0.244' }));
    expect((await data(`/closed-positions?user=${user}`)).body).toMatchObject([
      {
        asset: NEWSOM,
        avgPrice: 0.246,
        totalBought: 10,
        realizedPnl: -0.02,
        outcome: 'Yes',
        eventSlug: expect.any(String),
      },
    ]);
    expect((await data(`/positions?user=${user}&sizeThreshold=0`)).body).toEqual([]);
  });
});

describe('GET /trades (polymarket.md 6)', () => {
  const MARKET = '0x6a99620f23f9d2d3a5db942a7d77fe7e612734fd877aabca2c1d705270a44f40';
  const rows = async (query: string): Promise<Record<string, unknown>[]> => {
    const { body } = await data(`/trades?${query}`);
    return body as Record<string, unknown>[];
  };

  it('is newest first, pages by offset and refuses an offset beyond 10,000', async () => {
    const all = await rows(`market=${MARKET}&limit=20000`);
    const times = all.map((row) => Number(row.timestamp));
    expect(times).toEqual([...times].sort((one, other) => other - one));
    expect(all.length).toBeGreaterThanOrEqual(40);
    expect(await rows(`market=${MARKET}&limit=5&offset=5`)).toEqual(all.slice(5, 10));
    expect((await data('/trades?offset=10001')).status).toBe(400);
    expect(all.every((row) => row.conditionId === MARKET)).toBe(true);
  });

  it('shows takers alone unless takerOnly is false, each side in its own terms', async () => {
    const [maker, taker] = [aTrader(), aTrader()];
    await maker.post(maker.sign({ tokenId: NEWSOM_NO, negRisk: true, side: 'BUY', price: '0.755', size: '5' }));
    await taker.post(taker.sign({ tokenId: NEWSOM, negRisk: true, side: 'BUY', price: '0.245', size: '5' }));
    const [of, by] = [maker.wallet.address, taker.wallet.address];
    expect(await rows(`market=${MARKET}&user=${of}`)).toEqual([]);
    const [made] = await rows(`market=${MARKET}&user=${of}&takerOnly=false`);
    const [took] = await rows(`market=${MARKET}&user=${by.toLowerCase()}`);
    expect(made).toMatchObject({
      side: 'BUY',
      asset: NEWSOM_NO,
      price: 0.755,
      size: 5,
      outcomeIndex: 1,
      proxyWallet: of,
    });
    expect(took).toMatchObject({ side: 'BUY', asset: NEWSOM, price: 0.245, size: 5, outcomeIndex: 0, proxyWallet: by });
    expect(made?.transactionHash).toBe(took?.transactionHash);
  });

  it('filters by event, side, time and amount, and says when filters exclude each other', async () => {
    const all = await rows('eventId=30829&limit=10000');
    expect(new Set(all.map((row) => row.eventSlug))).toEqual(new Set(['democratic-presidential-nominee-2028']));
    expect((await rows('eventId=30829&side=SELL')).every((row) => row.side === 'SELL')).toBe(true);
    const middle = Number(all[10]?.timestamp);
    expect((await rows(`eventId=30829&end=${middle}`))[0]?.timestamp).toBe(middle);
    expect((await rows(`eventId=30829&start=${middle}&limit=10000`)).at(-1)?.timestamp).toBe(middle);
    expect(
      (await rows('eventId=30829&filterType=TOKENS&filterAmount=200')).every((row) => Number(row.size) >= 200),
    ).toBe(true);
    expect((await data('/trades?filterType=CASH')).status).toBe(400);
    expect((await data(`/trades?eventId=1&market=${MARKET}`)).status).toBe(400);
  });
});

describe('account wallets of types 1 to 3 (polymarket.md 3)', () => {
  it.each([1, 2, 3] as const)('trades for the wallet of type %i, signed by its owner', async (signatureType) => {
    const trader = aTrader({ signatureType, balance: '100' });
    const maker = trader.account.wallet_address;
    expect(maker).not.toBe(trader.wallet.address);
    const terms = { tokenId: NEWSOM, negRisk: true, side: 'BUY', price: '0.246', size: '10', signatureType } as const;
    expect(await trader.post(trader.sign(terms))).toMatchObject({ status: 200, body: { status: 'matched' } });
    const balance = await trader.call(
      'GET',
      `/balance-allowance?asset_type=COLLATERAL&signature_type=${signatureType}`,
    );
    expect(balance.body).toMatchObject({ balance: '97540000' });
    expect((await data(`/positions?user=${maker}`)).body).toMatchObject([{ size: 10 }]);
    expect((await data(`/positions?user=${trader.wallet.address}`)).body).toEqual([]);
  });

  it.each([1, 2, 3] as const)('refuses a wallet of type %i that belongs to another', async (signatureType) => {
    const [owner, thief] = [aTrader({ signatureType }), aTrader()];
    const terms = { tokenId: NEWSOM, negRisk: true, side: 'BUY', price: '0.1', size: '10', signatureType } as const;
    const order = thief.sign({ ...terms, maker: owner.account.wallet_address });
    expect(await thief.post(order)).toMatchObject({ status: 400, body: { error: 'invalid signature' } });
    const eoa = thief.sign({ ...terms, maker: owner.wallet.address });
    expect(await thief.post(eoa)).toMatchObject({ status: 400, body: { error: 'invalid signature' } });
  });

  it('refuses a deposit wallet whose wrapped signature says anything else', async () => {
    const trader = aTrader({ signatureType: 3 });
    const terms = { tokenId: NEWSOM, negRisk: true, side: 'BUY', price: '0.1', size: '10', signatureType: 3 } as const;
    const order = trader.sign(terms);
    const refused = { status: 400, body: { error: 'invalid signature' } };
    expect(await trader.post({ ...order, signature: order.signature.slice(0, 132) })).toMatchObject(refused);
    expect(await trader.post({ ...order, signature: `${order.signature.slice(0, -1)}b` })).toMatchObject(refused);
    expect(await trader.post({ ...order, signer: trader.wallet.address })).toMatchObject({
      body: { error: 'the order signer address has to be the address of the API KEY' },
    });
    expect(await trader.post(trader.sign({ ...terms, negRisk: false }))).toMatchObject(refused);
    expect(await trader.post(order)).toMatchObject({ status: 200 });
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FaultList } from '../../wire/faults.js';
import { RequestLog } from '../../wire/request-log.js';
import { type NewAccount, PolymarketSandbox } from '../sandbox.js';
import { orderHash } from '../signing/typed-data.js';
import { type Answer, PolymarketTrader, request } from '../trader.js';

/** The V2 market of the twins, a neg-risk one, one that nobody traded, one of an unknown version. */
const NARROW = `0x013009decfd1e0532df9db26862e9635ef${'0'.repeat(28)}`;
const WIDE = `${NARROW}00`;
const YES = BigInt(WIDE).toString();
const NO = (BigInt(WIDE) + 1n).toString();
const MAYOR = BigInt(`0x02a4d1f0937c2be658d01993f4c7ab22e60003${'0'.repeat(26)}`).toString();
const QUIET = BigInt(`0x0119f2c3d4e5b6a798800112233445566f${'0'.repeat(30)}`).toString();
const NEW = BigInt(`0x017e9fb1c3d5e7f90b1d2f415365778aac${'0'.repeat(30)}`).toString();
const BESIDES = BigInt(`0x01c0ffee1122334455667788990a0b0c0d${'0'.repeat(30)}`).toString();
const ALIENS = '107505882767731489358349912513945399560393482969656700824895970500493757150417';
const NEWSOM = '59875190760595879086210047068932732543507232128320818147490565132631198483666';

const faults = new FaultList();
let sandbox: PolymarketSandbox;

beforeAll(async () => {
  sandbox = await PolymarketSandbox.start({ faults, log: new RequestLog(), clock: () => new Date() });
});
afterAll(() => sandbox.close());

function clob(path: string): Promise<Answer> {
  return request(`${sandbox.account.clob_url}${path}`);
}

function aTrader(options: NewAccount = {}): PolymarketTrader {
  return new PolymarketTrader(sandbox.account.clob_url, sandbox.addAccount(options));
}

function refused(error: string): object {
  return { status: 400, body: { error } };
}

const buy = { tokenId: YES, side: 'BUY', price: '0.54', size: '10' } as const;

describe('market data of V2 markets (polymarket.md 10)', () => {
  it('names the version in a book and the wide condition id', async () => {
    const { body } = await clob(`/book?token_id=${YES}`);
    expect(body).toMatchObject({
      market: WIDE,
      asset_id: YES,
      version: 'v2',
      neg_risk: false,
      last_trade_price: '0.53',
    });
    expect((await clob(`/book?token_id=${ALIENS}`)).body).not.toHaveProperty('version');
    expect((await clob(`/book?token_id=${MAYOR}`)).body).toMatchObject({ version: 'v2', neg_risk: true });
  });

  it('leaves the last trade empty until somebody trades', async () => {
    expect((await clob(`/book?token_id=${QUIET}`)).body).toMatchObject({ last_trade_price: '' });
    const trader = aTrader();
    await trader.post(trader.sign({ tokenId: QUIET, side: 'BUY', price: '0.206', size: '5' }));
    expect((await clob(`/book?token_id=${QUIET}`)).body).toMatchObject({ last_trade_price: '0.206' });
  });

  it('knows the market by its wide id alone', async () => {
    const tokens = [
      { t: YES, o: 'Yes' },
      { t: NO, o: 'No' },
    ];
    expect(await clob(`/clob-markets/${WIDE}`)).toMatchObject({ status: 200, body: { c: WIDE, v: 'v2', t: tokens } });
    const missing = { status: 404, body: { error: 'market not found' } };
    expect(await clob(`/clob-markets/${NARROW}`)).toMatchObject(missing);
    expect(await clob(`/markets/${NARROW}`)).toMatchObject(missing);
    expect((await clob(`/markets-by-token/${NO}`)).body).toMatchObject({ condition_id: WIDE });
  });

  it('has neither book nor market for the positionIds of a V1 market', async () => {
    expect(await clob(`/book?token_id=${BESIDES}`)).toMatchObject({
      status: 404,
      body: { error: 'No orderbook exists for the requested token id' },
    });
    expect(await clob(`/markets-by-token/${BESIDES}`)).toMatchObject({ status: 404 });
  });

  it('has no price history for V2 ids', async () => {
    expect(await clob(`/prices-history?market=${YES}&interval=1d`)).toMatchObject({ status: 400 });
    expect(await clob(`/prices-history?market=${ALIENS}&interval=1d`)).toMatchObject({ status: 200 });
  });
});

describe('orders in V2 markets (polymarket.md 3.3)', () => {
  it.each([0, 1, 2, 3] as const)(
    'takes one of signature type %i, under the hash of domain 3',
    async (signatureType) => {
      const trader = aTrader({ signatureType });
      const order = trader.sign({ ...buy, signatureType });
      const placed = await trader.post(order);
      expect(placed).toMatchObject({ status: 200, body: { status: 'matched', orderID: orderHash(order, true) } });
      expect((await trader.call('GET', '/data/trades')).body).toMatchObject({
        data: [{ market: WIDE, asset_id: YES }],
      });
    },
  );

  it('takes one in a neg-risk market under the same domain', async () => {
    const trader = aTrader();
    const order = trader.sign({ tokenId: MAYOR, side: 'BUY', price: '0.2', size: '10' });
    expect(await trader.post(order)).toMatchObject({ status: 200, body: { status: 'live' } });
    const open = await trader.call(
      'GET',
      `/data/orders?market=0x02a4d1f0937c2be658d01993f4c7ab22e60003${'0'.repeat(26)}`,
    );
    expect(open.body).toMatchObject({ data: [{ asset_id: MAYOR }] });
  });

  it.each([
    ['a V2 market under 2', { ...buy, protocol: 'v1' }, 'order_version_mismatch'],
    ['a V2 market under 2 of neg-risk', { ...buy, protocol: 'v1', negRisk: true }, 'order_version_mismatch'],
    ['a V1 market under 3', { ...buy, tokenId: ALIENS, protocol: 'v2' }, 'invalid order version'],
    ['a neg-risk V1 market under 3', { ...buy, tokenId: NEWSOM, protocol: 'v2' }, 'invalid order version'],
    ['a neg-risk V1 market as an ordinary one', { ...buy, tokenId: NEWSOM }, 'invalid signature'],
    ['a market of an unknown version', { ...buy, tokenId: NEW }, 'invalid order version'],
    ['positionIds of a V1 market', { ...buy, tokenId: BESIDES }, `the orderbook ${BESIDES} does not exist`],
  ] as const)('refuses an order signed for %s', async (_what, terms, error) => {
    const trader = aTrader();
    expect(await trader.post(trader.sign(terms))).toMatchObject(refused(error));
    const smart = aTrader({ signatureType: 3 });
    expect(await smart.post(smart.sign({ ...terms, signatureType: 3 }))).toMatchObject(refused(error));
  });

  it('refuses a wallet that ExchangeV3 may not touch, until it may', async () => {
    const trader = aTrader({ standing: { exchangeV3: false } });
    const { wallet_address } = trader.account;
    expect(await trader.post(trader.sign(buy))).toMatchObject(refused('not enough balance / allowance'));
    expect(await trader.post(trader.sign({ ...buy, tokenId: ALIENS, price: '0.01' }))).toMatchObject({ status: 200 });
    sandbox.setStanding(wallet_address, { exchangeV3: true });
    expect(await trader.post(trader.sign(buy))).toMatchObject({ status: 200 });
  });

  it('refuses wallets that are banned, closed only, or too new for their signature type', async () => {
    const banned = aTrader({ standing: { banned: true } });
    const closed = aTrader({ standing: { closedOnly: true }, shares: { [YES]: '20' } });
    const fresh = aTrader({ standing: { depositWalletOnly: true } });
    expect(await banned.post(banned.sign(buy))).toMatchObject(refused(`'${banned.wallet.address}' address banned`));
    expect(await closed.post(closed.sign(buy))).toMatchObject(
      refused(`'${closed.wallet.address}' address in closed only mode`),
    );
    expect(await closed.post(closed.sign({ ...buy, side: 'SELL', price: '0.6' }))).toMatchObject({ status: 200 });
    expect((await closed.call('GET', '/auth/ban-status/closed-only')).body).toEqual({ closed_only: true });
    expect(await fresh.post(fresh.sign(buy))).toMatchObject(
      refused('maker address not allowed, please use the deposit wallet flow'),
    );
  });

  it('spends what a market BUY is worth, so that a better price brings more shares', async () => {
    const trader = aTrader();
    const order = trader.sign({ tokenId: NO, side: 'BUY', price: '0.96', size: '100' });
    const placed = await trader.post(order, { orderType: 'FOK' });
    expect(placed).toMatchObject({ body: { success: true, status: 'matched' } });
    const { makingAmount, takingAmount } = placed.body as Record<'makingAmount' | 'takingAmount', string>;
    expect(Number(makingAmount)).toBeCloseTo(96, 4);
    expect(Number(takingAmount)).toBeGreaterThan(190);
    const { body } = await trader.call('GET', `/data/order/${orderHash(order, false)}`);
    expect(body).toMatchObject({ original_size: '100', size_matched: takingAmount, status: 'MATCHED' });
  });

  it('takes a market BUY of fewer signed shares than the smallest size, but no other order', async () => {
    const trader = aTrader();
    const cheap = { tokenId: NO, side: 'BUY', price: '0.96', size: '1' } as const;
    expect(await trader.post(trader.sign(cheap), { orderType: 'FAK' })).toMatchObject({ body: { status: 'matched' } });
    for (const orderType of ['GTC', 'FOK'] as const) {
      const order = trader.sign({ ...cheap, side: orderType === 'GTC' ? 'BUY' : 'SELL' });
      const refused = { error: expect.stringContaining('Size (1) lower than the minimum: 5') };
      expect(await trader.post(order, { orderType })).toMatchObject({ status: 400, body: refused });
    }
  });

  it('kills a FOK BUY whose money the book cannot take, and fills a FAK as far as it goes', async () => {
    const trader = aTrader({ balance: '900000' });
    const order = trader.sign({ tokenId: MAYOR, side: 'BUY', price: '0.314', size: '400000' });
    expect(await trader.post(order, { orderType: 'FOK' })).toMatchObject({ status: 400 });
    expect(await trader.post(order, { orderType: 'FAK' })).toMatchObject({ body: { status: 'matched' } });
    const { body } = await trader.call('GET', `/data/order/${orderHash(order, false)}`);
    expect(body).toMatchObject({ status: 'CANCELED' });
  });
});

describe('answers to orders and cancels (polymarket.md 12)', () => {
  it('say what is left of the trading limits, refusals too', async () => {
    const trader = aTrader();
    const placed = await trader.post(trader.sign({ ...buy, price: '0.01' }));
    expect(placed.headers.get('poly-ratelimit-remaining')).toBe('59');
    expect(placed.headers.get('poly-ratelimit-tier')).toBe('standard');
    const bad = await trader.post(trader.sign({ ...buy, protocol: 'v1' }));
    expect([bad.status, bad.headers.get('poly-ratelimit-remaining')]).toEqual([400, expect.stringMatching(/^5[89]$/)]);
    const cancelled = await trader.call('DELETE', '/cancel-all');
    expect(cancelled.headers.get('poly-ratelimit-remaining')).toBe('118');
    expect((await trader.call('GET', '/data/orders')).headers.get('poly-ratelimit-tier')).toBeNull();
  });

  it('may be a 429 that is no JSON', async () => {
    const headers = { 'content-type': 'text/html' };
    const body = 'error code: 1015';
    const fault = { exchange: 'polymarket', method: 'GET', path: '/v2/trades', fault: 'status', times: 1 } as const;
    faults.add({ ...fault, status: 429, body, headers });
    const answer = await request(`${sandbox.account.data_url}/v2/trades`);
    expect([answer.status, answer.body, answer.headers.get('retry-after')]).toEqual([429, body, null]);
  });
});

describe('balances of V2 shares (polymarket.md 9.3)', () => {
  const V3 = '0xe3333700cA9d93003F00f0F71f8515005F6c00Aa';

  it('has them as CONDITIONAL-V2 alone', async () => {
    const trader = aTrader({ shares: { [YES]: '40', [ALIENS]: '7' } });
    const shares = async (type: string, token: string): Promise<unknown> =>
      (await trader.call('GET', `/balance-allowance?asset_type=${type}&token_id=${token}&signature_type=0`)).body;
    expect(await shares('CONDITIONAL-V2', YES)).toMatchObject({
      balance: '40000000',
      allowances: { [V3]: expect.stringMatching(/^115792/) },
    });
    expect(await shares('CONDITIONAL', YES)).toMatchObject({ balance: '0' });
    expect(await shares('CONDITIONAL', ALIENS)).toMatchObject({ balance: '7000000' });
    expect(await shares('CONDITIONAL-V2', ALIENS)).toMatchObject({ balance: '0' });
    expect(await shares('CONDITIONAL-V3', YES)).toMatchObject({ error: 'Invalid asset type' });
  });

  it('tells by spender what is approved', async () => {
    const trader = aTrader({ standing: { exchangeV3: false } });
    const { body } = await trader.call('GET', '/balance-allowance?asset_type=COLLATERAL&signature_type=0');
    const { allowances } = body as { allowances: Record<string, string> };
    expect(Object.keys(allowances)).toHaveLength(3);
    expect(Object.entries(allowances).filter(([, amount]) => amount === '0')).toEqual([[V3, '0']]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unixSeconds } from '../../times.js';
import { FaultList } from '../../wire/faults.js';
import { RequestLog } from '../../wire/request-log.js';
import { PolymarketSandbox } from '../sandbox.js';
import { l2Headers } from '../signing/l2-signature.js';
import { orderHash } from '../signing/typed-data.js';
import { SandboxWallet } from '../signing/wallet.js';
import { request, PolymarketTrader } from '../trader.js';

const ALIENS = '107505882767731489358349912513945399560393482969656700824895970500493757150417';
const ALIENS_NO = '7305630249804085635496399869905769372294302716159034447326228509068694952392';
const NEWSOM = '59875190760595879086210047068932732543507232128320818147490565132631198483666';
const SAINTS = '45202161264382546775596707604072525818335939716837358977013676938396612122029';

const faults = new FaultList();
let sandbox: PolymarketSandbox;
let trader: PolymarketTrader;
let now = new Date('2026-11-21T12:00:00.000Z');
const clock = (): Date => now;

beforeAll(async () => {
  sandbox = await PolymarketSandbox.start({ faults, log: new RequestLog(), clock });
  trader = aTrader();
});
afterAll(() => sandbox.close());

function aTrader(options: Parameters<PolymarketSandbox['addAccount']>[0] = {}): PolymarketTrader {
  return new PolymarketTrader(sandbox.account.clob_url, sandbox.addAccount(options), clock);
}

function clob(path: string, init?: RequestInit): ReturnType<typeof request> {
  return request(`${sandbox.account.clob_url}${path}`, init);
}

async function balanceOf(who: PolymarketTrader, query = 'asset_type=COLLATERAL&signature_type=0'): Promise<unknown> {
  return (await who.call('GET', `/balance-allowance?${query}`)).body;
}

describe('public market data (polymarket.md 5)', () => {
  it('sends bids rising and asks falling, so that the best of each is the last', async () => {
    const { status, body } = await clob(`/book?token_id=${ALIENS}`);
    expect(status).toBe(200);
    const book = body as { bids: { price: string }[]; asks: { price: string }[] };
    const bids = book.bids.map((level) => Number(level.price));
    const asks = book.asks.map((level) => Number(level.price));
    expect(bids).toEqual([...bids].sort((one, other) => one - other));
    expect(asks).toEqual([...asks].sort((one, other) => other - one));
    expect([bids.at(-1), asks.at(-1)]).toEqual([0.084, 0.086]);
    expect(body).toMatchObject({ tick_size: '0.001', min_order_size: '5', neg_risk: false, last_trade_price: '0.085' });
  });

  it('mirrors the book of the second token exactly and keeps the last trade in outcome-0 terms', async () => {
    const first = (await clob(`/book?token_id=${ALIENS}`)).body as Record<
      'bids' | 'asks',
      { price: string; size: string }[]
    >;
    const second = (await clob(`/book?token_id=${ALIENS_NO}`)).body as typeof first;
    const mirror = (levels: { price: string; size: string }[]): unknown =>
      levels.map(({ price, size }) => [Math.round((1 - Number(price)) * 1000), size]);
    const plain = (levels: { price: string; size: string }[]): unknown =>
      levels.map(({ price, size }) => [Math.round(Number(price) * 1000), size]);
    expect(plain(second.bids)).toEqual(mirror(first.asks));
    expect(plain(second.asks)).toEqual(mirror(first.bids));
    expect(second).toMatchObject({ asset_id: ALIENS_NO, last_trade_price: '0.085' });
  });

  it('answers 400 for what is no token id and 404 where there is no book', async () => {
    expect(await clob('/book?token_id=0x12')).toMatchObject({ status: 400, body: { error: 'Invalid token id' } });
    const missing = { status: 404, body: { error: 'No orderbook exists for the requested token id' } };
    expect(await clob('/book?token_id=123')).toMatchObject(missing);
    expect(await clob('/tick-size?token_id=123')).toMatchObject({ status: 404, body: { error: 'market not found' } });
  });

  it('answers POST /books without the tokens that have none, in an order of its own', async () => {
    const body = JSON.stringify([
      { token_id: ALIENS },
      { token_id: '1' },
      { token_id: NEWSOM },
      { token_id: ALIENS_NO },
    ]);
    const answer = await clob('/books', { method: 'POST', body });
    const ids = (answer.body as { asset_id: string }[]).map((book) => book.asset_id);
    expect([...ids].sort()).toEqual([ALIENS, NEWSOM, ALIENS_NO].sort());
    expect(ids).not.toEqual([ALIENS, NEWSOM, ALIENS_NO]);
    expect(await clob('/books', { method: 'POST', body: '{}' })).toMatchObject({ status: 400 });
  });

  it('tells time, tick size, neg-risk, prices and the market of a token', async () => {
    expect(await clob('/time')).toMatchObject({ body: 1_795_262_400 });
    expect(await clob(`/tick-size?token_id=${SAINTS}`)).toMatchObject({ body: { minimum_tick_size: 0.01 } });
    expect(await clob(`/neg-risk?token_id=${NEWSOM}`)).toMatchObject({ body: { neg_risk: true } });
    expect(await clob(`/price?token_id=${ALIENS}&side=BUY`)).toMatchObject({ body: { price: 0.084 } });
    expect(await clob(`/price?token_id=${ALIENS}&side=x`)).toMatchObject({
      status: 400,
      body: { error: 'Invalid side' },
    });
    expect(await clob(`/midpoint?token_id=${ALIENS_NO}`)).toMatchObject({ body: { mid_price: '0.915' } });
    expect(await clob(`/spread?token_id=${ALIENS}`)).toMatchObject({ body: { spread: '0.002' } });
    const parent = (await clob(`/markets-by-token/${ALIENS_NO}`)).body as Record<string, string>;
    expect(Object.values(parent)).toEqual(expect.arrayContaining([ALIENS, ALIENS_NO]));
    const market = await clob(`/clob-markets/${parent.condition_id ?? ''}`);
    expect(market).toMatchObject({
      body: {
        mts: 0.001,
        mos: 5,
        ao: true,
        t: [
          { t: ALIENS, o: 'Yes' },
          { t: ALIENS_NO, o: 'No' },
        ],
      },
    });
  });

  it('is a 404 on the wrong host', async () => {
    expect(await clob('/markets/keyset')).toMatchObject({ status: 404 });
    expect(await request(`${sandbox.account.gamma_url}/book?token_id=${ALIENS}`)).toMatchObject({ status: 404 });
    expect(await request(`${sandbox.account.data_url}/markets/keyset`)).toMatchObject({ status: 404 });
  });
});

describe('credentials (polymarket.md 3)', () => {
  const unauthorized = { status: 401, body: { error: 'Unauthorized/Invalid api key' } };
  const path = '/balance-allowance?asset_type=COLLATERAL';

  function signed(call: { method: string; path: string; body: string }): Record<string, string> {
    return l2Headers(trader.credentials, call, unixSeconds(now));
  }

  it.each([
    ['POLY_API_KEY', '00000000-0000-4000-a000-000000000000'],
    ['POLY_ADDRESS', '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'],
    ['POLY_PASSPHRASE', 'wrong'],
    ['POLY_SIGNATURE', 'AAAA'],
    ['POLY_TIMESTAMP', '1795262399'],
  ])('refuses a call with another %s', async (name, value) => {
    const headers = signed({ method: 'GET', path: '/balance-allowance', body: '' });
    expect(await clob(path, { headers })).toMatchObject({ status: 200 });
    expect(await clob(path, { headers: { ...headers, [name]: value } })).toMatchObject(unauthorized);
  });

  it('refuses a correctly signed timestamp more than 30 s off', async () => {
    const account = sandbox.addAccount();
    const late = new PolymarketTrader(sandbox.account.clob_url, account, () => new Date(now.getTime() - 31_000));
    const close = new PolymarketTrader(sandbox.account.clob_url, account, () => new Date(now.getTime() + 29_000));
    expect(await late.call('GET', path)).toMatchObject(unauthorized);
    expect(await close.call('GET', path)).toMatchObject({ status: 200 });
  });

  it('does not sign the query but signs the body', async () => {
    expect(await trader.call('GET', `${path}&signature_type=0`)).toMatchObject({ status: 200 });
    const headers = signed({ method: 'POST', path: '/order', body: '{}' });
    expect(await clob('/order', { method: 'POST', headers, body: '{ }' })).toMatchObject(unauthorized);
  });

  it('gives a new wallet credentials and play money, once for each nonce', async () => {
    const wallet = SandboxWallet.random();
    const headers = wallet.l1Headers(unixSeconds(now));
    const made = await clob('/auth/api-key', { method: 'POST', headers });
    expect(made.status).toBe(200);
    expect(await clob('/auth/derive-api-key', { headers })).toMatchObject({ status: 200, body: made.body });
    expect(await clob('/auth/api-key', { method: 'POST', headers })).toMatchObject({
      status: 400,
      body: { error: 'Could not create api key' },
    });
    const { apiKey, secret, passphrase } = made.body as Record<'apiKey' | 'secret' | 'passphrase', string>;
    const account = {
      wallet_address: wallet.address,
      wallet_private_key: wallet.privateKey,
      api_key: apiKey,
      secret,
      passphrase,
    };
    const newcomer = new PolymarketTrader(sandbox.account.clob_url, account, clock);
    expect(await balanceOf(newcomer)).toMatchObject({ balance: '10000000000' });
  });

  it('refuses L1 headers that another wallet signed', async () => {
    const headers = {
      ...SandboxWallet.random().l1Headers(unixSeconds(now)),
      POLY_ADDRESS: trader.wallet.address,
    };
    expect(await clob('/auth/derive-api-key', { headers })).toMatchObject({
      status: 401,
      body: { error: 'Invalid L1 Request headers' },
    });
  });

  it('shows the balance of the wallet that the signature type stands for', async () => {
    const safe = aTrader({ signatureType: 2, balance: '12.5' });
    expect(await balanceOf(safe, 'asset_type=COLLATERAL&signature_type=2')).toMatchObject({ balance: '12500000' });
    expect(await balanceOf(safe, 'asset_type=COLLATERAL&signature_type=0')).toMatchObject({ balance: '0' });
    expect(await safe.call('GET', '/balance-allowance?asset_type=x')).toMatchObject({
      status: 400,
      body: { error: 'Invalid asset type' },
    });
    expect(await safe.call('GET', `${path}&signature_type=9`)).toMatchObject({
      status: 400,
      body: { error: 'Invalid signature_type' },
    });
  });
});

describe('POST /order (polymarket.md 7.1)', () => {
  const bid = { tokenId: ALIENS, side: 'BUY', price: '0.05', size: '10' } as const;

  it('rests an order and answers its EIP-712 hash', async () => {
    const order = trader.sign(bid);
    expect(await trader.post(order)).toMatchObject({
      status: 200,
      body: {
        success: true,
        errorMsg: '',
        orderID: orderHash(order, false),
        status: 'live',
        makingAmount: '',
        takingAmount: '',
      },
    });
  });

  it('refuses the same signed order again', async () => {
    const order = trader.sign(bid);
    await trader.post(order);
    const error = `order ${orderHash(order, false)} is invalid. Duplicated.`;
    expect(await trader.post(order)).toMatchObject({ status: 400, body: { error } });
  });

  it('refuses another owner, another signer and a foreign signature with their texts', async () => {
    const other = aTrader();
    const order = trader.sign(bid);
    expect(await trader.post(order, { owner: other.credentials.apiKey })).toMatchObject({
      status: 400,
      body: { error: 'the order owner has to be the owner of the API KEY' },
    });
    expect(await trader.post(other.sign(bid))).toMatchObject({
      status: 400,
      body: { error: 'the order signer address has to be the address of the API KEY' },
    });
    const stolen = { ...order, signature: other.sign(bid).signature };
    expect(await trader.post(stolen)).toMatchObject({ status: 400, body: { error: 'invalid signature' } });
    expect(await trader.post({ ...order, makerAmount: '400000' })).toMatchObject({
      status: 400,
      body: { error: 'invalid signature' },
    });
  });

  it('refuses an order signed for the other exchange contract', async () => {
    const terms = { tokenId: NEWSOM, side: 'BUY', price: '0.1', size: '10' } as const;
    expect(await trader.post(trader.sign(terms))).toMatchObject({ status: 400, body: { error: 'invalid signature' } });
    expect(await trader.post(trader.sign({ ...terms, negRisk: true }))).toMatchObject({ status: 200 });
  });

  it.each([
    ['a salt in quotes', { salt: '1' }],
    ['an amount as a number', { makerAmount: 500_000 }],
    ['a numeric side', { side: 0 }],
    ['no timestamp', { timestamp: undefined }],
    ['a short address', { maker: '0x12' }],
    ['an unknown signature type', { signatureType: 4 }],
    ['zero shares', { takerAmount: '0' }],
  ])('refuses %s', async (_name, change) => {
    const order = { ...trader.sign(bid), ...change };
    const body = { order, owner: trader.credentials.apiKey, orderType: 'GTC' };
    const answer = await trader.call('POST', '/order', body);
    expect(answer).toMatchObject({ status: 400 });
    expect(['Invalid order payload', 'invalid signature']).toContain((answer.body as { error: string }).error);
  });

  it('refuses an order of the first version', async () => {
    const order = { ...trader.sign(bid), nonce: '0', feeRateBps: '0', taker: trader.wallet.address };
    const answer = await trader.call('POST', '/order', { order, owner: trader.credentials.apiKey });
    expect(answer).toMatchObject({ status: 400, body: { error: 'order_version_mismatch' } });
  });

  it('refuses a price off the tick, a size below the minimum and prices at the ends', async () => {
    const error = (text: string): object => ({ status: 400, body: { error: expect.stringContaining(text) } });
    expect(await trader.post(trader.sign({ ...bid, price: '0.0505' }))).toMatchObject(
      error('is invalid. Price (0.0505) breaks minimum tick size rule: 0.001'),
    );
    expect(await trader.post(trader.sign({ ...bid, price: '1' }))).toMatchObject(
      error('breaks minimum tick size rule'),
    );
    expect(await trader.post(trader.sign({ ...bid, size: '4.99' }))).toMatchObject(
      error('is invalid. Size (4.99) lower than the minimum: 5'),
    );
  });

  it('takes an expiration with GTD alone, at least three minutes ahead, and ends the order a minute early', async () => {
    const at = unixSeconds(now);
    const refused = { status: 400, body: { error: 'invalid expiration' } };
    expect(await trader.post(trader.sign({ ...bid, expiration: at + 600 }))).toMatchObject(refused);
    expect(await trader.post(trader.sign({ ...bid, expiration: at + 179 }), { orderType: 'GTD' })).toMatchObject(
      refused,
    );
    expect(await trader.post(trader.sign(bid), { orderType: 'GTD' })).toMatchObject(refused);
    const rich = aTrader({ balance: '100' });
    const all = { tokenId: ALIENS, side: 'BUY', price: '0.05', size: '2000' } as const;
    expect(await rich.post(rich.sign({ ...all, expiration: at + 200 }), { orderType: 'GTD' })).toMatchObject({
      status: 200,
    });
    expect(await rich.post(rich.sign(all))).toMatchObject({
      status: 400,
      body: { error: 'not enough balance / allowance' },
    });
    now = new Date(now.getTime() + 140_000);
    expect(await rich.post(rich.sign(all))).toMatchObject({ status: 200 });
  });

  it('counts open orders against the balance, exactly', async () => {
    const poor = aTrader({ balance: '1' });
    expect(await poor.post(poor.sign({ ...bid, price: '0.06' }))).toMatchObject({ status: 200 });
    expect(await poor.post(poor.sign({ ...bid, price: '0.041' }))).toMatchObject({ status: 400 });
    expect(await poor.post(poor.sign({ ...bid, price: '0.04' }))).toMatchObject({ status: 200 });
    expect(await poor.post(poor.sign({ ...bid, side: 'SELL', price: '0.9' }))).toMatchObject({
      status: 400,
      body: { error: 'not enough balance / allowance' },
    });
  });

  it('counts open orders against the shares, exactly', async () => {
    const seller = aTrader({ shares: { [ALIENS]: '15' } });
    const ask = { tokenId: ALIENS, side: 'SELL', price: '0.9', size: '10' } as const;
    expect(await seller.post(seller.sign(ask))).toMatchObject({ status: 200 });
    expect(await seller.post(seller.sign({ ...ask, size: '5.01' }))).toMatchObject({ status: 400 });
    expect(await seller.post(seller.sign({ ...ask, size: '5' }))).toMatchObject({ status: 200 });
  });

  it('refuses a post-only order that would cross, and post-only with FOK', async () => {
    expect(await trader.post(trader.sign({ ...bid, price: '0.09' }), { postOnly: true })).toMatchObject({
      status: 400,
      body: { error: 'invalid post-only order: order crosses book' },
    });
    expect(await trader.post(trader.sign(bid), { postOnly: true, orderType: 'FOK' })).toMatchObject({ status: 400 });
  });

  it('refuses orders where there is no book or no trading', async () => {
    const paused = await request(`${sandbox.account.gamma_url}/markets/590311`);
    const [token = ''] = JSON.parse((paused.body as { clobTokenIds: string }).clobTokenIds) as string[];
    expect(await trader.post(trader.sign({ tokenId: token, side: 'BUY', price: '0.5', size: '10' }))).toMatchObject({
      status: 400,
      body: { error: 'the market is not yet ready to process new orders' },
    });
    const closed = '38304894346029195822242785095213694817662275988449391178572340951802778647900';
    expect(await trader.post(trader.sign({ ...bid, tokenId: closed }))).toMatchObject({
      status: 400,
      body: { error: `the orderbook ${closed} does not exist` },
    });
  });
});

describe('matching', () => {
  it('fills at the price of the resting order and moves money and shares exactly', async () => {
    const taker = aTrader({ balance: '20' });
    const answer = await taker.post(taker.sign({ tokenId: ALIENS, side: 'BUY', price: '0.09', size: '10' }));
    expect(answer).toMatchObject({ body: { status: 'matched', makingAmount: '0.86', takingAmount: '10' } });
    expect((answer.body as { tradeIDs: string[] }).tradeIDs).toHaveLength(1);
    expect(await balanceOf(taker)).toMatchObject({ balance: '19140000' });
    const shares = `asset_type=CONDITIONAL&token_id=${ALIENS}&signature_type=0`;
    expect(await balanceOf(taker, shares)).toMatchObject({ balance: '10000000' });
    const positions = await request(`${sandbox.account.data_url}/v2/positions?user=${taker.wallet.address}`);
    expect(positions.body).toMatchObject({
      data: [{ token_id: ALIENS, current_size: 10, avg_price: 0.086, entry_cost_usdc: 0.86, outcome: 'Yes' }],
    });
  });

  it('meets a BUY of one token with a BUY of the other (mint) and SELLs of both (merge)', async () => {
    const [one, two] = [aTrader({ balance: '10' }), aTrader({ balance: '10' })];
    const market = (await request(`${sandbox.account.gamma_url}/markets/511756`)).body as { clobTokenIds: string };
    const [first = '', second = ''] = JSON.parse(market.clobTokenIds) as string[];
    await one.post(one.sign({ tokenId: first, side: 'BUY', price: '0.28', size: '10' }));
    expect(await two.post(two.sign({ tokenId: second, side: 'BUY', price: '0.72', size: '10' }))).toMatchObject({
      body: { status: 'matched', makingAmount: '7.2', takingAmount: '10' },
    });
    expect(await balanceOf(one)).toMatchObject({ balance: '7200000' });
    expect(await balanceOf(two)).toMatchObject({ balance: '2800000' });
    await one.post(one.sign({ tokenId: first, side: 'SELL', price: '0.28', size: '10' }));
    expect(await two.post(two.sign({ tokenId: second, side: 'SELL', price: '0.72', size: '10' }))).toMatchObject({
      body: { status: 'matched', makingAmount: '10', takingAmount: '7.2' },
    });
    expect([await balanceOf(one), await balanceOf(two)]).toMatchObject([
      { balance: '10000000' },
      { balance: '10000000' },
    ]);
  });

  it('fills FOK whole or not at all and FAK as far as it goes', async () => {
    const taker = aTrader({ balance: '100000' });
    const sweep = { tokenId: ALIENS_NO, side: 'BUY', price: '0.916', size: '20000' } as const;
    expect(await taker.post(taker.sign(sweep), { orderType: 'FOK' })).toMatchObject({
      status: 400,
      body: { error: "order couldn't be fully filled. FOK orders are fully filled or killed." },
    });
    const best = (
      (await clob(`/book?token_id=${ALIENS_NO}`)).body as { asks: { price: string; size: string }[] }
    ).asks.at(-1);
    expect(await taker.post(taker.sign(sweep), { orderType: 'FAK' })).toMatchObject({
      body: { status: 'matched', takingAmount: best?.size },
    });
    expect(await taker.post(taker.sign(sweep), { orderType: 'FAK' })).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('no orders found to match with FAK order') },
    });
    expect(await balanceOf(taker)).toMatchObject({ balance: String(100_000_000_000 - Number(best?.size) * 916_000) });
  });

  it('takes the fee of a taker on top', async () => {
    const taker = aTrader({ balance: '100' });
    await taker.post(taker.sign({ tokenId: SAINTS, side: 'BUY', price: '0.44', size: '10' }));
    expect(await balanceOf(taker)).toMatchObject({ balance: String(100_000_000 - 4_400_000 - 73_920) });
  });

  it('accepts the rounded shares of a market BUY, and no other rounding', async () => {
    const terms = { tokenId: SAINTS, side: 'BUY', price: '0.44', size: '5' } as const;
    const tenDollars = (takerAmount: string): Promise<unknown> =>
      trader.post(trader.sign(terms, { amounts: { makerAmount: '10000000', takerAmount } }), { orderType: 'FAK' });
    expect(await tenDollars('22727200')).toMatchObject({ status: 200, body: { status: 'matched' } });
    expect(await tenDollars('22720000')).toMatchObject({ status: 400 });
    const resting = trader.sign(terms, { amounts: { makerAmount: '10000000', takerAmount: '22727200' } });
    expect(await trader.post(resting)).toMatchObject({ status: 400 });
  });
});

describe('faults (contract.md 7)', () => {
  const bid = { tokenId: ALIENS, side: 'BUY', price: '0.03', size: '10' } as const;
  const armed = { exchange: 'polymarket', method: 'POST', path: '/order', times: 1 } as const;

  it('keeps the order whose answer was lost, and not the one that never arrived', async () => {
    const [lost, unsent] = [trader.sign(bid), trader.sign(bid)];
    faults.add({ ...armed, fault: 'reset_after' });
    await expect(trader.post(lost)).rejects.toThrow();
    faults.add({ ...armed, fault: 'reset_before' });
    await expect(trader.post(unsent)).rejects.toThrow();
    expect(await trader.call('GET', `/data/order/${orderHash(lost, false)}`)).toMatchObject({
      body: { status: 'LIVE' },
    });
    expect(await trader.call('GET', `/data/order/${orderHash(unsent, false)}`)).toMatchObject({ status: 404 });
    expect(await trader.post(lost)).toMatchObject({ status: 400 });
    expect(await trader.post(unsent)).toMatchObject({ status: 200 });
  });

  it('answers a status with the error body of the interface that was called', async () => {
    faults.add({ ...armed, fault: 'status', status: 503 });
    expect(await trader.post(trader.sign(bid))).toMatchObject({
      status: 503,
      body: { error: 'Trading is currently disabled. Check polymarket.com for updates' },
    });
    faults.add({ ...armed, fault: 'status', status: 425 });
    expect(await trader.post(trader.sign(bid))).toMatchObject({
      status: 425,
      body: { error_msg: 'matching engine is restarting' },
    });
    faults.add({ ...armed, method: 'GET', path: '/markets/keyset', fault: 'status', status: 429 });
    expect(await request(`${sandbox.account.gamma_url}/markets/keyset`)).toMatchObject({
      status: 429,
      body: { type: expect.any(String), error: expect.any(String) },
    });
  });
});

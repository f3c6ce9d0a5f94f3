import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { OrderSearch } from '../../src/exchanges/order-search.js';
import type { OrderNaming, PreparedOrder } from '../../src/exchanges/orders.contract.js';
import { DOMAINS } from '../../src/exchanges/polymarket/trading/order-domains.js';
import { isPlain, PolymarketOrderDto } from '../../src/exchanges/polymarket/trading/order.dto.js';
import { PlainOrder } from '../../src/exchanges/polymarket/trading/plain-order.js';
import { validateAs } from '../../src/platform/http/validation.js';
import { type FakePolymarket, sample, sampleObject } from '../support/fake-polymarket.js';
import { naming } from '../support/naming.js';
import type { TestSessionKey } from '../support/session-key.js';
import {
  aSessionKey,
  DEPOSIT_CREDENTIALS,
  INFO,
  KEYSET,
  NARROW,
  NO,
  SESSION,
  startWithV2,
  WIDE,
  YES,
} from './polymarket-v2.fixture.js';

const POST = 'POST /clob/order';
const BODY = { market_id: WIDE, outcome: 'yes', side: 'buy', price: '0.52', size: '10' };
const CREATED_AT = new Date('2026-11-20T15:00:00.123Z');
const NAMING = naming('2b8394e0-515e-4b89-b624-f34067756855', { createdAt: CREATED_AT });

interface Sent {
  readonly owner: string;
  readonly orderType: string;
  readonly postOnly: boolean;
  readonly order: Readonly<Record<string, string | number>>;
}

let fake: FakePolymarket;
let key: TestSessionKey;

beforeEach(async () => {
  fake = await startWithV2();
  key = aSessionKey();
  const asks = [{ price: '0.37', size: '1000' }];
  fake.on('GET /clob/book', () => ({
    body: { market: WIDE, asset_id: YES, timestamp: '1792000000123', bids: [], asks },
  }));
  fake.on(POST, ({ body }) => {
    const { order } = JSON.parse(body) as Sent;
    return { body: { success: true, errorMsg: '', orderID: `0x${'a'.repeat(64)}`, status: 'live', order } };
  });
});

afterEach(() => fake.close());

async function prepare(change: object = {}, as: OrderNaming = NAMING, by = key): Promise<PreparedOrder> {
  return fake.trading(null, by).prepareOrder(await validateAs(PolymarketOrderDto, { ...BODY, ...change }), as);
}

/** The order as it was sent, the last one. */
function sent(): Sent {
  return JSON.parse(fake.at(POST).at(-1)?.body ?? '') as Sent;
}

async function send(change: object = {}): Promise<Sent['order']> {
  await (await prepare(change)).place();
  return sent().order;
}

function rules(change: object): void {
  fake.on(INFO, () => ({ body: { ...sampleObject('clob-market-info-v2'), ...change } }));
}

const hashOf = ({ reference }: PreparedOrder): string | undefined => reference.details.order_id;
/** The naming of a repeat of what was sent. */
const again = ({ reference: { details, terms } }: PreparedOrder): OrderNaming => ({
  ...NAMING,
  sentAs: { ...details, ...(terms && { terms }) },
});
const refusedOn = (field: string) => ({ code: 'bad_request', details: { fields: [{ field }] } });

describe('a plain order', () => {
  it('contract.md 5.6 is sent as a deposit wallet makes it, under the API key of the session key', async () => {
    const prepared = await prepare();
    expect(prepared.reference).toEqual({
      details: { order_id: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
      terms: { timestamp: expect.stringMatching(/^\d{13}$/) },
      isSafeToResend: false,
      isOurs: true,
    });
    expect([fake.at(POST), key.opened]).toEqual([[], 0]);
    const order = await prepared.place();
    expect(sent()).toMatchObject({
      owner: SESSION.key,
      orderType: 'GTC',
      postOnly: false,
      order: {
        maker: key.walletAddress,
        signer: key.walletAddress,
        tokenId: YES,
        makerAmount: '5200000',
        takerAmount: '10000000',
        side: 'BUY',
        signatureType: 3,
        timestamp: prepared.reference.terms?.timestamp,
        expiration: '0',
        metadata: `0x${'0'.repeat(64)}`,
        builder: `0x${'0'.repeat(64)}`,
      },
    });
    expect(fake.at(POST)[0]?.headers.poly_address).toBe(key.address);
    const signature = String(sent().order.signature);
    expect(signature).toHaveLength(2 + 2 * 480);
    expect(signature.toLowerCase()).toContain(key.address.slice(2).toLowerCase());
    expect(order).toMatchObject({ side: 'buy', price: '0.52', size: '10', status: 'open', post_only: false });
    expect(key.opened).toBe(1);
  });

  it.each([
    ['yes', YES],
    ['YES', YES],
    ['no', NO],
    ['0', YES],
    ['1', NO],
    [0, YES],
    [1, NO],
    [YES, YES],
    [NO, NO],
    ['No', NO],
  ])('unified-schema.md 1 is of the outcome named %j', async (outcome, tokenId) => {
    for (const side of ['buy', 'sell']) {
      const [money, shares] = ['5200000', '10000000'];
      const [makerAmount, takerAmount] = side === 'buy' ? [money, shares] : [shares, money];
      const expected = { tokenId, side: side.toUpperCase(), makerAmount, takerAmount };
      expect(await send({ outcome, side })).toMatchObject(expected);
    }
  });

  it.each(['maybe', '2', 'Over', YES.slice(0, -1)])('contract.md 5.6 refuses the outcome %j', async (outcome) => {
    await expect(prepare({ outcome })).rejects.toMatchObject(refusedOn('outcome'));
    expect(fake.at(POST)).toEqual([]);
  });

  it.each([WIDE, NARROW, NARROW.toUpperCase().replace('0X', '0x'), '2901455'])(
    'contract.md 5.6 takes the market by %s, and it is one order',
    async (market_id) => {
      const first = await prepare();
      expect(hashOf(await prepare({ market_id }, again(first)))).toBe(hashOf(first));
      expect((await send({ market_id })).tokenId).toBe(YES);
    },
  );

  it('contract.md 5.6 takes the market by its slug, and none that does not exist', async () => {
    fake.on('GET /gamma/markets/slug/a-market', () => ({ body: sampleObject('gamma-market-v2') }));
    expect((await send({ market_id: 'a-market' })).tokenId).toBe(YES);
    await expect(prepare({ market_id: 'no-market' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('polymarket.md 3.3 is signed for the contract of its market', async () => {
    expect((await send()).signature).toContain(DOMAINS.v2.separator);
    for (const negRisk of [false, true]) {
      const market = { ...sampleObject('gamma-market'), negRisk, slug: `v1-${String(negRisk)}` };
      const { conditionId } = market as unknown as { conditionId: string };
      const other = `${conditionId.slice(0, -1)}${negRisk ? '1' : '2'}`;
      fake.on(`GET /gamma/markets/slug/v1-${String(negRisk)}`, () => ({ body: { ...market, conditionId: other } }));
      fake.on(`GET /clob/clob-markets/${other}`, () => ({ body: { mts: 0.01, mos: 5 } }));
      const { signature } = await send({ market_id: `v1-${String(negRisk)}` });
      expect(signature).toContain(DOMAINS[negRisk ? 'v1NegRisk' : 'v1Standard'].separator);
    }
  });

  it('contract.md 5.6 has a salt of its own name, which a JSON number holds', async () => {
    const salts = new Set<unknown>();
    for (const id of Array.from({ length: 20 }, (_, number) => `order-${String(number)}`)) {
      await (await prepare({}, naming(id, { createdAt: CREATED_AT }))).place();
      salts.add(sent().order.salt);
    }
    expect([...salts].every((salt) => Number.isSafeInteger(salt) && Number(salt) >= 0)).toBe(true);
    expect(salts.size).toBe(20);
    expect((await send()).salt).toBe((await send()).salt);
  });

  it.each([
    ['gtc', 'GTC'],
    ['gtd', 'GTD'],
    ['ioc', 'FAK'],
    ['fok', 'FOK'],
  ])('unified-schema.md 7 is sent as %s', async (time_in_force, orderType) => {
    const expires_at = time_in_force === 'gtd' ? '2099-11-21T15:00:00.999Z' : undefined;
    const order = await (await prepare({ time_in_force, ...(expires_at && { expires_at }) })).place();
    expect(sent()).toMatchObject({ orderType, order: { expiration: expires_at ? '4098956400' : '0' } });
    expect(order).toMatchObject({ time_in_force, expires_at: expires_at ? '2099-11-21T15:00:00.000Z' : null });
  });

  it('contract.md 5.6 tells the price and the size that were asked', async () => {
    rules({ mts: 0.001 });
    expect(await (await prepare({ price: '0.3330', size: '6.00' })).place()).toMatchObject({
      price: '0.333',
      size: '6',
    });
  });

  it('polymarket.md 7.3 may get more shares than it asked for', async () => {
    const body = { success: true, errorMsg: '', orderID: `0x${'a'.repeat(64)}`, status: 'matched', takingAmount: '13' };
    fake.on(POST, () => ({ body }));
    const order = await (await prepare({ time_in_force: 'fok' })).place();
    expect(order).toMatchObject({ size: '10', filled_size: '13', remaining_size: '0', status: 'filled' });
  });

  it('contract.md 5.6 needs a session key, whatever is stored', async () => {
    const request = await validateAs(PolymarketOrderDto, BODY);
    expect(fake.exchange.sessionKeys.isNeededFor(request)).toBe(true);
    const refused = { code: 'credentials_not_configured', details: { reason: 'session_key_required' } };
    await expect(fake.trading(DEPOSIT_CREDENTIALS).prepareOrder(request, NAMING)).rejects.toMatchObject(refused);
    expect(fake.arrived).toEqual([]);
  });
});

describe('the rules of the market', () => {
  it.each([
    ['price', { price: '0.525' }, {}],
    ['price', { price: '0.995' }, { mts: 0.01 }],
    ['price', { price: '0.9975' }, { mts: 0.005 }],
    ['price', { price: '0.001' }, { mts: 0.01 }],
    ['price', { price: '0.9' }, { mts: 0.3 }],
    ['size', { size: '4.99' }, {}],
    ['size', { size: '0.5' }, { mos: 0.51 }],
    ['size', { size: '4.99', time_in_force: 'fok' }, {}],
  ])('contract.md 5.6 refuses on %s: %j at %j, and sends nothing', async (field, change, market) => {
    rules(market);
    await expect(prepare(change)).rejects.toMatchObject(refusedOn(field));
    expect([fake.at(POST), key.opened]).toEqual([[], 0]);
  });

  it.each([
    [{ price: '0.99', size: '5' }, {}],
    [{ price: '0.0100', size: '5.00' }, {}],
    [{ price: '0.9999' }, { mts: '0.0001' }],
    [{ price: '0.9975' }, { mts: 0.0025 }],
    [{ size: '0.01' }, { mos: 0.01 }],
  ])('contract.md 5.6 takes %j at %j', async (change, market) => {
    rules(market);
    await expect(prepare(change)).resolves.toBeDefined();
  });

  it('contract.md 5.6 are read anew for each order, since the tick changes', async () => {
    await prepare({ price: '0.52' });
    rules({ mts: 0.1 });
    await expect(prepare({ price: '0.52' })).rejects.toMatchObject(refusedOn('price'));
    rules({ mts: 0.001 });
    await expect(prepare({ price: '0.521' })).resolves.toBeDefined();
    expect(fake.at(INFO)).toHaveLength(3);
  });

  it('contract.md 5 are not taken from the cache of public reads', async () => {
    await fake.close();
    fake = await startWithV2({}, { MARKET_DATA_CACHE_TTL: '1m' });
    await prepare({ price: '0.52' });
    rules({ mts: 0.1 });
    await expect(prepare({ price: '0.52' })).rejects.toMatchObject(refusedOn('price'));
  });

  it.each([
    ['knows no such market', { status: 404, body: { error: 'market not found' } }],
    ['does not state them', { body: { c: WIDE, t: [] } }],
  ])("polymarket.md 4 are Gamma's where the CLOB %s", async (_name, answer) => {
    fake.on(INFO, () => answer);
    const { orderPriceMinTickSize: tick } = sampleObject('gamma-market-v2');
    expect(tick).toBe(0.01);
    await expect(prepare({ price: '0.525' })).rejects.toMatchObject(refusedOn('price'));
    await expect(prepare({ size: '4.99' })).rejects.toMatchObject(refusedOn('size'));
    await expect(prepare()).resolves.toBeDefined();
  });

  it.each([
    ['another market', { c: `0x${'1'.repeat(64)}` }],
    ['no step', { mts: 0 }],
    ['a step below zero', { mts: -0.01 }],
    ['a step above all prices', { mts: 1 }],
    ['no number', { mts: 'fine' }],
  ])('S-50 are none where the answer has %s', async (_name, change) => {
    rules(change);
    await expect(prepare()).rejects.toMatchObject({ code: 'exchange_error' });
  });

  it('contract.md 5.6 of a market that Gamma lists by now, name 0 and 1 as Gamma does', async () => {
    const token = '71321045679252212594626385532706912750332728571942532289631379312455583992563';
    const conditionId = `0x${'7'.repeat(63)}1`;
    const info = {
      c: conditionId,
      t: [
        { t: '5', o: 'No' },
        { t: token, o: 'Yes' },
      ],
      nr: false,
      mts: 0.01,
      mos: 5,
    };
    fake.on(`GET /clob/clob-markets/${conditionId}`, () => ({ body: info }));
    const listed = {
      ...(sample('clob-open-orders') as { data: object[] }).data[0],
      market: conditionId,
      asset_id: '5',
    };
    fake.on('GET /clob/data/orders', () => ({ body: { data: [listed], next_cursor: 'LTE=' } }));
    const trading = fake.trading(null, key);
    const { items } = await trading.listOrders({ status: 'open' }, { limit: 10, cursor: null });
    expect(items).toMatchObject([{ outcome: { id: '5', index: 0, label: 'No' } }]);
    await expect(prepare({ market_id: conditionId, outcome: '0' })).rejects.toMatchObject(refusedOn('outcome'));
    await expect(prepare({ market_id: conditionId, outcome: 1 })).rejects.toMatchObject(refusedOn('outcome'));
    expect((await send({ market_id: conditionId, outcome: 'yes' })).tokenId).toBe(token);
    expect((await send({ market_id: conditionId, outcome: '5' })).tokenId).toBe('5');
    const market = { ...sampleObject('gamma-market'), conditionId, clobTokenIds: JSON.stringify([token, '5']) };
    fake.on(KEYSET, ({ query }) => ({ body: { markets: query.get('closed') === 'false' ? [market] : [] } }));
    expect((await send({ market_id: conditionId, outcome: '0' })).tokenId).toBe(token);
    expect((await send({ market_id: conditionId, outcome: 'no' })).tokenId).toBe('5');
  });
});

describe('the expiry', () => {
  const gtd = (ms: number) => ({ time_in_force: 'gtd', expires_at: new Date(Date.now() + ms).toISOString() });

  it('contract.md 5.6 lies three minutes ahead at least', async () => {
    await expect(prepare(gtd(178_000))).rejects.toMatchObject(refusedOn('expires_at'));
    await expect(prepare(gtd(-1_000))).rejects.toMatchObject(refusedOn('expires_at'));
    await expect(prepare(gtd(185_000))).resolves.toBeDefined();
    expect(fake.at(POST)).toEqual([]);
  });

  it('contract.md 5.6 is judged by the clock of the exchange', async () => {
    fake.clockAheadMs = 3_600_000;
    await expect(prepare(gtd(3_600_000 + 170_000))).rejects.toMatchObject(refusedOn('expires_at'));
    await expect(prepare(gtd(3_600_000 + 190_000))).resolves.toBeDefined();
  });

  it('contract.md 5.6 is no matter before the order is prepared, since repeats are checked there too', async () => {
    const request = await validateAs(PolymarketOrderDto, { ...BODY, ...gtd(-1_000) });
    expect(() => {
      fake.exchange.checkOrder(request);
    }).not.toThrow();
  });
});

describe('the time', () => {
  const signedMs = async (as: OrderNaming): Promise<number> => {
    await (await prepare({}, as)).place();
    return Number(sent().order.timestamp);
  };

  it("contract.md 5 that is signed is the exchange's, and kept for repeats", async () => {
    fake.clockAheadMs = 3_600_000;
    const first = await prepare();
    const ms = await signedMs(again(first));
    expect(Math.abs(ms - Date.now() - 3_600_000)).toBeLessThan(60_000);
    fake.clockAheadMs = 0;
    expect(await signedMs(again(first))).toBe(ms);
  });

  it('contract.md 5.6 of a record that tells none is that of the record', async () => {
    const outcome = { id: YES, index: 0 as const, label: 'Yes' };
    const token = { marketId: WIDE, outcome, protocol: 'v2' as const, negRisk: false };
    const request = await validateAs(PolymarketOrderDto, BODY);
    const old = isPlain(request) ? new PlainOrder(request, token, key.walletAddress, NAMING) : null;
    const { id: order_id = '' } = old?.build({ at: CREATED_AT, tick: '0.01', asks: [] })?.terms ?? {};
    expect(await signedMs({ ...NAMING, sentAs: { order_id } })).toBe(CREATED_AT.getTime());
  });
});

describe('a repeat', () => {
  it.each([
    ['gtc', '0.52'],
    ['ioc', '0.37'],
    ['fok', '0.37'],
  ])(
    'contract.md 5.6 of %s is the same order, byte for byte, whatever the tick is by then',
    async (time_in_force, price) => {
      const first = await prepare({ price, time_in_force });
      await first.place();
      const { order } = sent();
      for (const mts of [0.1, 0.001, 0.0001]) {
        rules({ mts, mos: 1_000 });
        const repeated = await prepare({ price, time_in_force }, again(first));
        expect(hashOf(repeated)).toBe(hashOf(first));
        await repeated.place();
        expect(sent().order).toEqual(order);
      }
      expect(fake.at(INFO)).toHaveLength(1);
    },
  );

  it('contract.md 5.6 has the shares of the tick that it was sent at', async () => {
    const change = { price: '0.37', size: '7.31', time_in_force: 'ioc' };
    const shares = new Set<unknown>();
    for (const mts of [0.01, 0.005, 0.0025, 0.001, 0.0001]) {
      rules({ mts });
      const first = await prepare(change);
      rules({ mts: 0.01 });
      expect(hashOf(await prepare(change, again(first)))).toBe(hashOf(first));
      shares.add(first.reference.terms?.shares);
    }
    expect(shares.size).toBe(3);
  });

  it('contract.md 5.6 is the same where its outcome is called otherwise by then', async () => {
    const first = await prepare({ outcome: 'no' });
    const other = await prepare({ outcome: 'yes' });
    for (const outcome of ['yes', 'Nay', '0']) {
      const repeated = await prepare({ outcome }, again(first));
      expect(hashOf(repeated)).toBe(hashOf(first));
      await repeated.place();
      expect(sent().order).toMatchObject({ tokenId: NO });
      expect(hashOf(await prepare({ outcome }, again(other)))).toBe(hashOf(other));
    }
  });

  it('contract.md 5.6 is the same after the time of its expiry', async () => {
    const change = { time_in_force: 'gtd', expires_at: new Date(Date.now() + 200_000).toISOString() };
    const first = await prepare(change);
    fake.clockAheadMs = 3_600_000;
    // The first answer that says so is not believed alone.
    await prepare(change).catch(() => undefined);
    await expect(prepare(change)).rejects.toMatchObject(refusedOn('expires_at'));
    expect(hashOf(await prepare(change, again(first)))).toBe(hashOf(first));
  });

  it('contract.md 5.6 that is another order by its body, or by its name, is not made', async () => {
    const first = await prepare();
    const failed = { code: 'exchange_error' };
    await expect(prepare({ size: '11' }, again(first))).rejects.toMatchObject(failed);
    await expect(prepare({}, { ...again(first), clientOrderId: 'another' })).rejects.toMatchObject(failed);
    const [{ order_id = '' }, terms] = [first.reference.details, { timestamp: '1' }];
    await expect(prepare({}, { ...NAMING, sentAs: { order_id, terms } })).rejects.toMatchObject(failed);
  });

  it('R-26 by another session key of the wallet is the same order, of another account', async () => {
    const other = Object.assign(aSessionKey(), { address: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC' });
    const first = await prepare();
    expect(hashOf(await prepare({}, again(first), other))).toBe(hashOf(first));
    const request = await validateAs(PolymarketOrderDto, BODY);
    const [one, two, same] = [key, other, aSessionKey()].map((by) => fake.trading(null, by).accountDigest(request));
    expect(one).not.toEqual(two);
    expect(one).toEqual(same);
  });

  it('R-26 is looked up by its hash, and is ours even where it was told otherwise', async () => {
    const first = await prepare();
    const id = hashOf(first) ?? '';
    const listed = { ...sampleObject('clob-order-v2'), id, asset_id: YES, side: 'BUY', order_type: 'FAK' };
    fake.on(`GET /clob/data/order/${id}`, () => ({ body: listed }));
    const found = await (await prepare({}, again(first))).find(new OrderSearch());
    expect(found).toMatchObject({ order: { id, price: '0.52', size: '10' }, isAsAsked: false });
    expect([fake.at(POST), key.opened]).toEqual([[], 0]);
  });
});

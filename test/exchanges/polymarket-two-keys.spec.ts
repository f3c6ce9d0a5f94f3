import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Trading } from '../../src/exchanges/trading.contract.js';
import { PolymarketOrderDto } from '../../src/exchanges/polymarket/trading/order.dto.js';
import { validateAs } from '../../src/platform/http/validation.js';
import { CREDENTIALS, type FakePolymarket, sample, sampleObject } from '../support/fake-polymarket.js';
import type { ArrivedRequest, FakeAnswer } from '../support/fake-server.js';
import { naming } from '../support/naming.js';
import { TestSessionKey } from '../support/session-key.js';
import { BALANCE, FIRST, ORDERS, paged, readAll, USER_TRADES } from './polymarket-account.fixture.js';
import { aSessionKey, DEPOSIT_CREDENTIALS, SESSION, startWithV2, vector, WIDE, YES } from './polymarket-v2.fixture.js';

const CANCEL = 'DELETE /clob/orders';
const CANCEL_ONE = 'DELETE /clob/order';
const POST = 'POST /clob/order';
const POSITIONS = 'GET /data/v2/positions';
const BODY = { market_id: WIDE, outcome: 'yes', side: 'buy', price: '0.52', size: '10' };
const KEYS = { session: SESSION.key, stored: CREDENTIALS.api_key };
type Who = keyof typeof KEYS;

let fake: FakePolymarket;
let key: TestSessionKey;
let trading: Trading;

beforeEach(async () => {
  fake = await startWithV2();
  key = aSessionKey();
  trading = fake.trading(DEPOSIT_CREDENTIALS, key);
});

afterEach(() => fake.close());

function whoCalls({ headers }: ArrivedRequest): Who {
  return headers.poly_api_key === KEYS.session ? 'session' : 'stored';
}

/** Answers each of the two keys as it is told. */
function on(route: string, answers: Readonly<Record<Who, (request: ArrivedRequest) => FakeAnswer>>): void {
  fake.on(route, (request) => answers[whoCalls(request)](request));
}

const idOf = (who: Who, number: number): string =>
  `0x${(who === 'session' ? '5' : '7').repeat(60)}${String(number).padStart(4, '0')}`;

function anOrder(who: Who, number: number, owner: unknown = KEYS[who]): Record<string, unknown> {
  return { ...sampleObject('clob-order-v2'), id: idOf(who, number), owner, market: WIDE, asset_id: YES };
}

const page = (data: readonly object[]): FakeAnswer => ({ body: { data, next_cursor: 'LTE=' } });
const orders = (who: Who, count: number, size = 100) => paged((number) => anOrder(who, number), count, size);
const idsOf = (who: Who, count: number): string[] => Array.from({ length: count }, (_, number) => idOf(who, number));
const refusal = (status: number, error: string) => (): FakeAnswer => ({ status, body: { error } });

const [trade = {}] = (sample('clob-user-trades') as { data: Record<string, unknown>[] }).data;
const aTrade = (who: Who, id: string, at: number, rest: object = {}): object => ({
  ...trade,
  id,
  owner: KEYS[who],
  trader_side: 'TAKER',
  taker_order_id: idOf(who, 0),
  market: WIDE,
  asset_id: YES,
  match_time: String(at),
  maker_orders: [],
  ...rest,
});

describe('orders of both keys', () => {
  it.each([1, 3, 4, 50])('contract.md 5.6 are listed behind one another, each once, by %i on a page', async (limit) => {
    on(ORDERS, { session: orders('session', 7, 3), stored: orders('stored', 5, 2) });
    const pages = await readAll((paging) => trading.listOrders({ status: 'open' }, paging), limit);
    expect(pages.flat().map(({ id }) => id)).toEqual([...idsOf('session', 7), ...idsOf('stored', 5)]);
    expect(Math.max(...pages.map(({ length }) => length))).toBeLessThanOrEqual(limit);
  });

  it.each([
    ['session', KEYS.session],
    ['stored', KEYS.stored],
    ['neither', 'an older key'],
    ['nobody', undefined],
    ['no text', 5],
  ])('contract.md 5.6 are each listed once, also where both keys are shown those of %s', async (_name, owner) => {
    const shared = [0, 1, 2].map((number) => anOrder('session', number, owner));
    const all = [...shared, anOrder('stored', 9)];
    on(ORDERS, { session: () => page(shared), stored: () => page(all) });
    const pages = await readAll((paging) => trading.listOrders({ status: 'open' }, paging), 2);
    const ids = pages.flat().map(({ id }) => id);
    expect(ids.toSorted()).toEqual([...idsOf('session', 3), idOf('stored', 9)]);
  });

  it('contract.md 5.6 of a market are asked for with the same filter, and another cursor is refused', async () => {
    on(ORDERS, { session: orders('session', 0), stored: orders('stored', 1) });
    await readAll((paging) => trading.listOrders({ status: 'open', market_id: WIDE }, paging), 5);
    expect(fake.at(ORDERS).map(({ query }) => query.get('market'))).toEqual([WIDE, WIDE]);
    for (const cursor of ['0:9:', '0:x', '1', '0:1']) {
      const list = trading.listOrders({ status: 'open' }, { limit: 5, cursor });
      await expect(list).rejects.toMatchObject({ code: 'bad_request' });
    }
  });

  it('contract.md 5.6 fail to list where one of the keys fails', async () => {
    on(ORDERS, { session: orders('session', 1), stored: refusal(401, 'Unauthorized/Invalid api key') });
    const { next } = await trading.listOrders({ status: 'open' }, FIRST);
    const rest = trading.listOrders({ status: 'open' }, { limit: 50, cursor: next });
    await expect(rest).rejects.toMatchObject({ code: 'credentials_rejected' });
  });

  it.each(['session', 'stored'] as const)('contract.md 5.6 are read where the %s key alone knows them', async (who) => {
    const id = idOf(who, 1);
    const known = (): FakeAnswer => ({ body: anOrder(who, 1) });
    const unknown = refusal(404, 'order not found');
    const route = `GET /clob/data/order/${id}`;
    on(route, { session: who === 'session' ? known : unknown, stored: who === 'stored' ? known : unknown });
    expect(await trading.getOrder(id)).toMatchObject({ id });
    expect(fake.at(route).map(whoCalls)).toEqual(who === 'session' ? ['session'] : ['session', 'stored']);
  });

  it('contract.md 5.6 are not found only where neither key has them', async () => {
    const id = idOf('stored', 1);
    await expect(trading.getOrder(id)).rejects.toMatchObject({ code: 'not_found' });
    on(`GET /clob/data/order/${id}`, { session: refusal(503, 'down'), stored: () => ({ body: anOrder('stored', 1) }) });
    await expect(trading.getOrder(id)).rejects.toMatchObject({ code: 'exchange_unavailable' });
  });

  it.each(['session', 'stored'] as const)('contract.md 5.6 are cancelled where the %s key knows them', async (who) => {
    const id = idOf(who, 1);
    const done = (): FakeAnswer => ({ body: { canceled: [id], not_canceled: {} } });
    const unknown = (): FakeAnswer => ({ body: { canceled: [], not_canceled: { [id]: "order can't be found" } } });
    on(CANCEL_ONE, { session: who === 'session' ? done : unknown, stored: who === 'stored' ? done : unknown });
    expect(await trading.cancelOrder(id)).toMatchObject({ id, status: 'cancelled' });
    expect(fake.at(CANCEL_ONE).map(whoCalls)).toEqual(who === 'session' ? ['session'] : ['session', 'stored']);
  });

  it('unified-schema.md 7 that one key cannot cancel any more are not asked of the other', async () => {
    const id = idOf('session', 1);
    fake.on(CANCEL_ONE, () => ({ body: { canceled: [], not_canceled: { [id]: 'order already matched' } } }));
    await expect(trading.cancelOrder(id)).rejects.toMatchObject({ details: { reason: 'not_cancellable' } });
    expect(fake.at(CANCEL_ONE)).toHaveLength(1);
  });
});

describe('cancelling the orders of both keys', () => {
  const cancelled = ({ body }: ArrivedRequest): FakeAnswer => ({
    body: { canceled: JSON.parse(body) as string[], not_canceled: {} },
  });

  it('contract.md 5.6 cancels each by its own key, those of a page before the next is read', async () => {
    on(ORDERS, { session: orders('session', 3, 2), stored: orders('stored', 2) });
    fake.on(CANCEL, cancelled);
    const report = await trading.cancelAllOrders();
    expect(report).toEqual({ cancelled: [...idsOf('session', 3), ...idsOf('stored', 2)], not_cancelled: [] });
    const calls = fake.arrived
      .filter((call) => whoCalls(call) === 'session' && call.path.endsWith('orders'))
      .map(({ method, body }) => (method === 'GET' ? 'page' : (JSON.parse(body) as unknown)));
    const [first, second, third] = idsOf('session', 3);
    // Of a list of two pages a second walk looks whether the cancels have shifted them.
    expect(calls).toEqual(['page', [first, second], 'page', [third], 'page', 'page']);
    const stored = fake.at(CANCEL).filter((call) => whoCalls(call) === 'stored');
    expect(stored.map(({ body }) => JSON.parse(body) as unknown)).toEqual([idsOf('stored', 2)]);
  });

  it('contract.md 5.6 a list that fails keeps no order of the other key in the book, and is told', async () => {
    fake.on(CANCEL, cancelled);
    for (const who of ['session', 'stored'] as const) {
      on(ORDERS, { session: refusal(500, 'no'), stored: refusal(500, 'no'), [who]: orders(who, 1) });
      const report = await trading.cancelAllOrders();
      expect(report).toMatchObject({ cancelled: idsOf(who, 1), failure: { code: 'exchange_error' } });
    }
  });

  it.each([
    [refusal(429, 'Too Many Requests'), 'exchange_rate_limited'],
    [refusal(503, 'cancels are off'), 'unknown'],
    [refusal(401, 'Unauthorized/Invalid api key'), 'unknown'],
    [() => 'reset' as const, 'unknown'],
  ])('contract.md 5.6 reports a failure of the second after the first (%#)', async (fails, reason) => {
    on(ORDERS, { session: orders('session', 1), stored: orders('stored', 2) });
    on(CANCEL, { session: cancelled, stored: fails });
    expect(await trading.cancelAllOrders()).toEqual({
      cancelled: idsOf('session', 1),
      not_cancelled: idsOf('stored', 2).map((id) => ({ id, reason })),
    });
  });

  it('contract.md 5.6 fails where the first that is sent fails, whichever key has it', async () => {
    on(CANCEL, { session: refusal(429, 'Too Many Requests'), stored: refusal(429, 'Too Many Requests') });
    for (const who of ['session', 'stored'] as const) {
      on(ORDERS, { session: orders('session', 0), stored: orders('stored', 0), [who]: orders(who, 1) });
      await expect(trading.cancelAllOrders()).rejects.toMatchObject({ code: 'exchange_rate_limited' });
    }
    expect(fake.at(CANCEL)).toHaveLength(2);
  });

  it('contract.md 5.6 cancels an order that both are shown once, and of a market only its own', async () => {
    const elsewhere = { ...anOrder('stored', 2), market: `0x${'1'.repeat(64)}` };
    const unplaced = { ...anOrder('stored', 3), market: undefined };
    on(ORDERS, {
      session: orders('session', 1),
      stored: () => page([anOrder('session', 0), anOrder('stored', 1), elsewhere, unplaced]),
    });
    fake.on(CANCEL, cancelled);
    expect(await trading.cancelAllOrders({ market_id: WIDE })).toEqual({
      cancelled: [idOf('session', 0), idOf('stored', 1)],
      not_cancelled: [{ id: idOf('stored', 3), reason: 'unknown' }],
    });
    expect(await trading.cancelAllOrders({ market_id: 'no-such-market' })).toEqual({
      cancelled: [],
      not_cancelled: [],
    });
  });
});

describe('fills of both keys', () => {
  /** The fills of a list in pages, newest first. */
  function trades(who: Who, times: readonly number[], size: number) {
    const sorted = times.toSorted((one, other) => other - one);
    const at = (number: number): number => sorted[number] ?? 0;
    return paged((number) => aTrade(who, `${who}-${String(number)}`, at(number)), times.length, size);
  }

  it('contract.md 5.6 are merged, newest first, each once, however they are paged', async () => {
    const times = fc.array(fc.integer({ min: 1_795_186_000, max: 1_795_186_004 }), { maxLength: 12 });
    const sizes = fc.integer({ min: 1, max: 5 });
    await fc.assert(
      fc.asyncProperty(times, times, fc.tuple(sizes, sizes, sizes), async (own, others, [one, two, limit]) => {
        on(USER_TRADES, { session: trades('session', own, one), stored: trades('stored', others, two) });
        const pages = await readAll((paging) => trading.listFills({}, paging), limit);
        const fills = pages.flat();
        const ids = fills.map(({ id }) => id);
        const expected = [
          ...own.map((_, number) => `session-${String(number)}`),
          ...others.map((_, number) => `stored-${String(number)}`),
        ];
        expect(ids.toSorted()).toEqual(expected.toSorted());
        const stamps = fills.map(({ timestamp }) => timestamp);
        expect(stamps).toEqual(stamps.toSorted().toReversed());
        expect(Math.max(0, ...pages.map(({ length }) => length))).toBeLessThanOrEqual(limit);
      }),
      { numRuns: 40 },
    );
  }, 60_000);

  it('contract.md 5.6 of many pages of one time are each listed once', async () => {
    const same = Array.from({ length: 60 }, () => 1_795_186_000);
    on(USER_TRADES, { session: trades('session', same, 7), stored: trades('stored', same.slice(0, 45), 4) });
    const ids = (await readAll((paging) => trading.listFills({}, paging), 9)).flat().map(({ id }) => id);
    expect([ids.length, new Set(ids).size]).toEqual([105, 105]);
  });

  it('contract.md 5.6 of a trade between the two are the part of each, once', async () => {
    const makers = [
      {
        order_id: idOf('stored', 0),
        owner: KEYS.stored,
        maker_address: key.walletAddress,
        matched_amount: '4',
        price: '0.5',
        asset_id: YES,
        outcome: 'Yes',
        side: 'SELL',
      },
    ];
    const shown = aTrade('session', 't1', 1_795_186_000, { maker_orders: makers });
    on(USER_TRADES, { session: () => page([shown]), stored: () => page([{ ...shown, trader_side: 'MAKER' }]) });
    const { items } = await trading.listFills({}, FIRST);
    expect(items.map(({ id, role }) => [id, role])).toEqual([
      ['t1', 'taker'],
      [`t1:${idOf('stored', 0)}`, 'maker'],
    ]);
    expect((await trading.listFills({ order_id: idOf('stored', 0) }, FIRST)).items).toHaveLength(1);
    const pages = await readAll((paging) => trading.listFills({}, paging), 1);
    expect(pages.flat()).toHaveLength(2);
  });

  it.each(['x', '[]', '[null]', '[{"taken":0}]', '[{"taken":-1,"cursor":null},null]', '{}'])(
    'unified-schema.md 9 takes no other cursor: %s',
    async (cursor) => {
      const list = trading.listFills({}, { limit: 5, cursor });
      await expect(list).rejects.toMatchObject({ code: 'bad_request', details: { fields: [{ field: 'cursor' }] } });
    },
  );

  it('S-50 are refused where a page names itself as the next', async () => {
    const stuck = (): FakeAnswer => ({ body: { data: [], next_cursor: 'MQ==' } });
    on(USER_TRADES, { session: stuck, stored: () => page([]) });
    const { next } = await trading.listFills({}, FIRST);
    await expect(trading.listFills({}, { limit: 5, cursor: next })).rejects.toMatchObject({ code: 'exchange_error' });
  });
});

describe('money and positions with both keys', () => {
  const [row = {}] = (sample('data-v2-positions') as { data: Record<string, unknown>[] }).data;
  const elsewhere = `0x${'e'.repeat(40)}`;

  beforeEach(() => {
    fake.on(BALANCE, () => ({ body: sample('clob-balance-allowance') }));
    fake.on('GET /data/v2/value', () => ({ body: sample('data-v2-value') }));
    fake.on(POSITIONS, ({ query }) => {
      const isMore = query.get('user') === elsewhere && !query.has('cursor');
      const data = [{ ...row, event_id: query.get('user') }];
      return { body: { data, pagination: { has_more: isMore, next_cursor: isMore ? 'more' : null } } };
    });
    const live = { status: 'LIVE', side: 'BUY', price: '0.5', original_size: '10', size_matched: '0' };
    on(ORDERS, {
      session: () => page([{ ...anOrder('session', 0), ...live }]),
      stored: () =>
        page([
          { ...anOrder('stored', 0), ...live },
          { ...anOrder('session', 0), ...live },
        ]),
    });
  });

  const ofOther = { ...DEPOSIT_CREDENTIALS, wallet_address: elsewhere };

  it('contract.md 5.6 are those of the wallet of the session key, which holds orders of both keys', async () => {
    expect(await trading.getBalance()).toMatchObject({ available: '152.34', reserved: '10' });
    expect(fake.at(BALANCE).map(whoCalls)).toEqual(['session']);
    expect(fake.at('GET /data/v2/value')[0]?.query.get('user')).toBe(key.walletAddress);
    const pages = await readAll((paging) => trading.listPositions({}, paging), 5);
    expect(pages.flat()).toHaveLength(1);
  });

  it('contract.md 5.6 of another wallet do not count, but its positions follow', async () => {
    const both = fake.trading(ofOther, key);
    expect(await both.getBalance()).toMatchObject({ reserved: '5' });
    const pages = await readAll((paging) => both.listPositions({}, paging), 5);
    expect(pages.flat().map(({ event_id: of }) => of)).toEqual([key.walletAddress, elsewhere, elsewhere]);
  });

  it('contract.md 5.17 the portfolio has the money and the gains of each wallet once', async () => {
    fake.on(POSITIONS, ({ query }) => {
      const isClosed = query.get('status') === 'CLOSED';
      // The exchange takes it of the closed ones for a mistake (polymarket.md 9.2).
      expect(query.get('include_archived')).toBe(isClosed ? null : 'true');
      const realized = isClosed ? 1.25 : query.get('user') === elsewhere ? 20 : 3;
      return {
        body: { data: [{ ...row, realized_pnl: realized }], pagination: { has_more: false, next_cursor: null } },
      };
    });
    expect(await trading.readBalances()).toMatchObject([{ reserved: '10' }]);
    expect(await trading.readGains()).toEqual({ realized_pnl: '4.25', fees: null });
    const both = fake.trading(ofOther, key);
    expect(await both.readBalances()).toMatchObject([{ reserved: '5' }, { reserved: expect.any(String) }]);
    expect(await both.readGains()).toEqual({ realized_pnl: '25.5', fees: null });
  });

  it('contract.md 5.6 both keys are verified, and their approvals told', async () => {
    await trading.verify();
    expect(fake.at(BALANCE).map(whoCalls)).toEqual(['session', 'stored']);
    on(BALANCE, { session: () => ({ body: sample('clob-balance-allowance') }), stored: refusal(401, 'Unauthorized') });
    await expect(trading.verify()).rejects.toMatchObject({ code: 'credentials_rejected' });
    const lacking = sampleObject('clob-balance-allowance-three-exchanges') as { allowances: Record<string, string> };
    const none = Object.fromEntries(Object.keys(lacking.allowances).map((spender) => [spender, '0']));
    on(BALANCE, { session: () => ({ body: lacking }), stored: () => ({ body: { ...lacking, allowances: none } }) });
    expect((await trading.readFacts()).missingAllowances).toHaveLength(3);
  });
});

describe('which key an order goes by', () => {
  const session = vector('v2-deposit-session-buy').post_order_body.order;
  const owner = vector('v2-deposit-owner-buy').post_order_body.order;
  const plain = vector('v2-eoa-buy').post_order_body.order;
  const made = (order: object) => validateAs(PolymarketOrderDto, { signed_order: order });

  async function ownerOf(request: PolymarketOrderDto, by = trading): Promise<unknown> {
    const body = { success: true, errorMsg: '', orderID: `0x${'a'.repeat(64)}`, status: 'live' };
    fake.on(POST, () => ({ body }));
    await (await by.prepareOrder(request, naming())).place();
    return (JSON.parse(fake.at(POST).at(-1)?.body ?? '') as { owner: string }).owner;
  }

  it('contract.md 5.6 is the session key for plain parameters', async () => {
    expect(await ownerOf(await validateAs(PolymarketOrderDto, BODY))).toBe(KEYS.session);
  });

  it('contract.md 5.6 is the one whose wallet and key a signed order names', async () => {
    expect(await ownerOf(await made(owner))).toBe(KEYS.stored);
    expect(await ownerOf(await made(session))).toBe(KEYS.session);
    const eoa = fake.trading(CREDENTIALS, key);
    expect(await ownerOf(await made(plain), eoa)).toBe(KEYS.stored);
    expect(await ownerOf(await made(owner), eoa)).toBe(KEYS.session);
  });

  it('contract.md 5.6 is none where the order names another wallet, or is signed by another key', async () => {
    const refusedOn = (field: string) => ({ code: 'bad_request', details: { fields: [{ field }] } });
    const elsewhere = await made({ ...owner, maker: `0x${'1'.repeat(40)}` });
    await expect(trading.prepareOrder(elsewhere, naming())).rejects.toMatchObject(refusedOn('signed_order.maker'));
    const other = new TestSessionKey({ ...SESSION, address: `0x${'2'.repeat(40)}` }, key.walletAddress);
    for (const by of [fake.trading(DEPOSIT_CREDENTIALS, other), fake.trading(null, other)]) {
      const refused = refusedOn('signed_order.signature');
      await expect(by.prepareOrder(await made(session), naming())).rejects.toMatchObject(refused);
    }
    expect(fake.at(POST)).toEqual([]);
  });

  it('R-26 is told by the account digest', async () => {
    const byStored = fake.trading(DEPOSIT_CREDENTIALS);
    const bySession = fake.trading(null, key);
    expect(trading.accountDigest(await made(owner))).toEqual(byStored.accountDigest());
    expect(trading.accountDigest(await made(session))).toEqual(bySession.accountDigest());
    expect(trading.accountDigest(await validateAs(PolymarketOrderDto, BODY))).toEqual(bySession.accountDigest());
    expect(trading.accountDigest()).toEqual(bySession.accountDigest());
    expect(byStored.accountDigest()).not.toEqual(bySession.accountDigest());
    const theSame = { ...DEPOSIT_CREDENTIALS, signer_address: key.address.toLowerCase() };
    expect(fake.trading(theSame).accountDigest()).toEqual(bySession.accountDigest());
  });

  it('holds what its wallets hold, whichever key calls for one (design C)', () => {
    const byStored = fake.trading(DEPOSIT_CREDENTIALS);
    const otherKey = new TestSessionKey({ ...SESSION, address: `0x${'2'.repeat(40)}` }, key.walletAddress);
    const held = trading.holdingsDigest();
    for (const same of [byStored, fake.trading(null, key), fake.trading(null, otherKey)]) {
      expect(same.holdingsDigest()).toEqual(held);
    }
    expect(fake.trading(null, otherKey).accountDigest()).not.toEqual(fake.trading(null, key).accountDigest());
    const elsewhere = { ...DEPOSIT_CREDENTIALS, wallet_address: `0x${'3'.repeat(40)}` };
    for (const other of [fake.trading(elsewhere), fake.trading(elsewhere, key)]) {
      expect(other.holdingsDigest()).not.toEqual(held);
    }
  });

  it('contract.md 5.6 is one key where the stored credentials are those of the session key', async () => {
    const { key: api_key, secret, passphrase } = SESSION;
    const stored = { ...DEPOSIT_CREDENTIALS, api_key, secret, passphrase, signer_address: key.address };
    const one = fake.trading(stored, key);
    on(ORDERS, { session: orders('session', 2), stored: orders('stored', 2) });
    expect((await one.listOrders({ status: 'open' }, FIRST)).items).toHaveLength(2);
    expect(fake.at(ORDERS)).toHaveLength(1);
    expect(await ownerOf(await validateAs(PolymarketOrderDto, BODY), one)).toBe(KEYS.session);
  });
});

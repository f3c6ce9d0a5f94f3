import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Trading } from '../../src/exchanges/trading.contract.js';
import { CREDENTIALS, type FakePolymarket, sample, sampleObject } from '../support/fake-polymarket.js';
import type { ArrivedRequest, FakeAnswer } from '../support/fake-server.js';
import { BALANCE, ORDERS, paged, USER_TRADES } from './polymarket-account.fixture.js';
import { aSessionKey, DEPOSIT_CREDENTIALS, SESSION, startWithV2, WIDE, YES } from './polymarket-v2.fixture.js';

const CANCEL = 'DELETE /clob/orders';
const CANCEL_ONE = 'DELETE /clob/order';
const KEYS = { session: SESSION.key, stored: CREDENTIALS.api_key };
type Who = keyof typeof KEYS;
const OTHER: Readonly<Record<Who, Who>> = { session: 'stored', stored: 'session' };
const BOTH = ['session', 'stored'] as const;
const REFUSALS = [
  { status: 401, body: { error: 'Unauthorized/Invalid api key' } },
  { status: 401, body: { error: 'session key expired' } },
  { status: 403, body: { error: 'session signer revoked' } },
];
const [REFUSED = { status: 401 }] = REFUSALS;
const NOT_FOUND: FakeAnswer = { status: 404, body: { error: 'order not found' } };
const rejected = { code: 'credentials_rejected' };

let fake: FakePolymarket;
let trading: Trading;

beforeEach(async () => {
  fake = await startWithV2();
  trading = fake.trading(DEPOSIT_CREDENTIALS, aSessionKey());
});

afterEach(() => fake.close());

/** Answers one of the two keys, and refuses the other or answers as told. */
function onlyTo(
  who: Who,
  route: string,
  answer: (request: ArrivedRequest) => FakeAnswer,
  other: FakeAnswer = REFUSED,
): void {
  fake.on(route, (request) => (request.headers.poly_api_key === KEYS[who] ? answer(request) : other));
}

const idOf = (who: Who, number: number): string =>
  `0x${(who === 'session' ? '5' : '7').repeat(60)}${String(number).padStart(4, '0')}`;

function anOrder(who: Who, number: number): Record<string, unknown> {
  return { ...sampleObject('clob-order-v2'), id: idOf(who, number), owner: KEYS[who], market: WIDE, asset_id: YES };
}

const ordersOf = (who: Who, count: number, size = 100) => paged((number) => anOrder(who, number), count, size);
const idsOf = (who: Who, count: number): string[] => Array.from({ length: count }, (_, number) => idOf(who, number));
const cancelled = ({ body }: ArrivedRequest): FakeAnswer => ({
  body: { canceled: JSON.parse(body) as string[], not_canceled: {} },
});

const [trade = {}] = (sample('clob-user-trades') as { data: Record<string, unknown>[] }).data;
const aTrade = (number: number): Record<string, unknown> => ({
  ...trade,
  id: `t${String(number)}`,
  owner: KEYS.stored,
  trader_side: 'TAKER',
  market: WIDE,
  asset_id: YES,
  match_time: String(1_795_186_100 - number),
  maker_orders: [],
});

describe('with a session key that the exchange refuses', () => {
  it.each(REFUSALS)('contract.md 5.6 the orders of the stored key are read and cancelled (%j)', async (refusal) => {
    const id = idOf('stored', 1);
    onlyTo('stored', `GET /clob/data/order/${id}`, () => ({ body: anOrder('stored', 1) }), refusal);
    onlyTo('stored', CANCEL_ONE, () => ({ body: { canceled: [id], not_canceled: {} } }), refusal);
    expect(await trading.getOrder(id)).toMatchObject({ id });
    expect(await trading.cancelOrder(id)).toMatchObject({ id, status: 'cancelled' });
  });

  it('contract.md 5.6 an order that the stored key does not know is not said to be none', async () => {
    const id = idOf('session', 1);
    onlyTo('stored', `GET /clob/data/order/${id}`, () => NOT_FOUND);
    onlyTo('stored', CANCEL_ONE, () => ({ body: { canceled: [], not_canceled: { [id]: "order can't be found" } } }));
    await expect(trading.getOrder(id)).rejects.toMatchObject(rejected);
    await expect(trading.cancelOrder(id)).rejects.toMatchObject(rejected);
  });

  it('contract.md 5.6 what kept the stored key from an answer is told', async () => {
    const id = idOf('stored', 1);
    onlyTo('stored', `GET /clob/data/order/${id}`, () => ({ status: 503, body: { error: 'down' } }));
    await expect(trading.getOrder(id)).rejects.toMatchObject({ code: 'exchange_unavailable' });
  });

  it('contract.md 5.6 the orders of the stored key are listed, then the refusal in place of an end', async () => {
    onlyTo('stored', ORDERS, ordersOf('stored', 5, 2));
    const ids: string[] = [];
    let cursor: string | null = null;
    for (let page = 0; page < 3; page += 1) {
      const { items, next } = await trading.listOrders({ status: 'open' }, { limit: 3, cursor });
      ids.push(...items.map(({ id }) => id));
      cursor = next;
      expect(next).not.toBeNull();
    }
    expect(ids).toEqual(idsOf('stored', 5));
    await expect(trading.listOrders({ status: 'open' }, { limit: 3, cursor })).rejects.toMatchObject(rejected);
  });

  it('contract.md 5.6 the balance of the common wallet is read by the stored key, what orders hold back is unknown', async () => {
    onlyTo('stored', BALANCE, () => ({ body: sample('clob-balance-allowance') }));
    onlyTo('stored', ORDERS, ordersOf('stored', 1));
    expect(await trading.getBalance()).toMatchObject({ available: '152.34', reserved: null });
    await expect(trading.verify()).rejects.toMatchObject(rejected);
  });

  it('contract.md 5.6 no other key is asked for the balance of a wallet of its own', async () => {
    const both = fake.trading({ ...DEPOSIT_CREDENTIALS, wallet_address: `0x${'e'.repeat(40)}` }, aSessionKey());
    onlyTo('stored', BALANCE, () => ({ body: sample('clob-balance-allowance') }));
    await expect(both.getBalance()).rejects.toMatchObject(rejected);
  });
});

describe.each(BOTH)('with two keys of which only the %s one works', (who) => {
  it('contract.md 5.6 its fills are listed, then the refusal in place of an end', async () => {
    onlyTo(
      who,
      USER_TRADES,
      paged((number) => ({ ...aTrade(number), owner: KEYS[who] }), 5, 2),
    );
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await trading.listFills({}, { limit: 2, cursor });
      ids.push(...page.items.map(({ id }) => id));
      cursor = page.next;
    } while (ids.length < 5);
    expect(ids).toEqual(['t0', 't1', 't2', 't3', 't4']);
    await expect(trading.listFills({}, { limit: 2, cursor })).rejects.toMatchObject(rejected);
  });

  it('contract.md 5.6 all its orders are cancelled, and the refusal is told', async () => {
    onlyTo(who, ORDERS, ordersOf(who, 3));
    fake.on(CANCEL, cancelled);
    const report = await trading.cancelAllOrders();
    expect(report).toMatchObject({ cancelled: idsOf(who, 3), not_cancelled: [], failure: rejected });
    onlyTo(who, CANCEL, () => ({ status: 429, body: { error: 'Too Many Requests' } }));
    await expect(trading.cancelAllOrders()).rejects.toMatchObject({ code: 'exchange_rate_limited' });
  });

  it('contract.md 5.6 all its orders are cancelled where the other key is refused only then', async () => {
    fake.on(ORDERS, (request) =>
      (request.headers.poly_api_key === KEYS[who] ? ordersOf(who, 2) : ordersOf(OTHER[who], 1))(request),
    );
    onlyTo(who, CANCEL, cancelled);
    const late = { id: idOf(OTHER[who], 0), reason: 'unknown' };
    // Once those of one key are cancelled, what fails is a part of the report.
    expect(await trading.cancelAllOrders()).toEqual({ cancelled: idsOf(who, 2), not_cancelled: [late] });
  });
});

describe('with two keys that are both refused', () => {
  it('contract.md 5.6 nothing is listed and nothing cancelled', async () => {
    for (const route of [ORDERS, USER_TRADES]) fake.on(route, () => REFUSED);
    await expect(trading.listOrders({ status: 'open' }, { limit: 5, cursor: null })).rejects.toMatchObject(rejected);
    await expect(trading.listFills({}, { limit: 5, cursor: null })).rejects.toMatchObject(rejected);
    await expect(trading.cancelAllOrders()).rejects.toMatchObject(rejected);
    expect(fake.at(CANCEL)).toEqual([]);
  });
});

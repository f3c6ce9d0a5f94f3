import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Trading } from '../../src/exchanges/trading.contract.js';
import { CREATE, FakeKalshi, isSigned, sameOrder, madeOn, sample, TICKER, VECTORS } from '../support/fake-kalshi.js';
import type { FakeHandler } from '../support/fake-server.js';

const FORBIDDEN = { error: { code: 'forbidden', message: 'this key lacks the scope' } };
const BOUND = {
  error: {
    code: 'forbidden',
    message: 'this API key is restricted to a single sub-account and cannot access this endpoint',
  },
};
const REFUSED = { error: { code: 'authentication_error', details: 'INCORRECT_API_KEY_SIGNATURE' } };

let fake: FakeKalshi;
let trading: Trading;

beforeEach(async () => {
  fake = await FakeKalshi.start();
  trading = fake.trading();
});

afterEach(() => fake.close());

/** The answer about all keys, ours among them. */
function keys(own: object, rest: object = {}): object {
  const others = sample('api-keys').api_keys as object[];
  const entry = { api_key_id: VECTORS.api_key_id_TEST, name: 'proxy', ...own };
  return { ...sample('api-keys'), api_keys: [...others, entry], ...rest };
}

describe('verifying credentials', () => {
  it('contract.md 4 takes a key that the exchange shows, by one signed read', async () => {
    fake.serve('GET /api_keys', keys({ scopes: ['read'] }));
    await trading.verify();
    expect(fake.calls()).toEqual(['GET /api_keys']);
    expect(
      fake
        .sent('GET')
        .filter(({ path }) => path.endsWith('api_keys'))
        .every(isSigned),
    ).toBe(true);
  });

  it.each([
    ['may read its balance', { body: sample('balance') }],
    ['may trade alone', { status: 403, body: FORBIDDEN }],
  ])('kalshi.md 2.2 a key that may not see the keys and %s is a good one', async (_, answer) => {
    fake.serve('GET /api_keys', FORBIDDEN, 403);
    fake.on('GET /portfolio/balance', () => answer);
    await expect(trading.verify()).resolves.toBeUndefined();
    fake.serve('GET /api_keys', BOUND, 403);
    await expect(trading.verify()).resolves.toBeUndefined();
  });

  it.each([
    ['refused', { status: 401, body: REFUSED }, undefined, 'credentials_rejected'],
    [
      'refused with its balance',
      { status: 403, body: FORBIDDEN },
      { status: 401, body: REFUSED },
      'credentials_rejected',
    ],
    ["met by gateways' 403", { status: 403, body: FORBIDDEN }, { status: 403 }, 'exchange_rejected'],
    ['met by trouble', { status: 500 }, { status: 500 }, 'exchange_error'],
    ['met by a 429', { status: 500 }, { status: 429, body: { error: 'too many requests' } }, 'exchange_rate_limited'],
  ])('contract.md 4 a key that is %s is told so', async (_, answer, balance, code) => {
    fake.on('GET /api_keys', () => answer);
    fake.on('GET /portfolio/balance', () => balance ?? { body: sample('balance') });
    await expect(trading.verify()).rejects.toMatchObject({ code });
  });
});

describe('verifying where the list of keys is ill', () => {
  it.each([
    { status: 500 },
    { status: 403 },
    { status: 429, body: { error: 'too many requests' } },
    { body: { api_keys: { a: 1 } } },
    'hang' as const,
    'reset' as const,
  ])('kalshi.md 2.2 takes a key that may read its balance (%j)', async (answer) => {
    fake.on('GET /api_keys', () => answer);
    fake.serve('GET /portfolio/balance', sample('balance'));
    await expect(trading.verify()).resolves.toBeUndefined();
  });
});

describe('what the exchange says of a key', () => {
  it.each([
    [
      'of scopes',
      keys({ scopes: ['read', 'write::trade'] }),
      { scopes: ['read', 'write::trade'], subaccount: null, isBound: false },
    ],
    ['of one subaccount', keys({ scopes: ['read'], subaccount: 2 }), { subaccount: '2', isBound: true }],
    ['of the primary account alone', keys({ scopes: ['read'], subaccount: 0 }), { subaccount: '0', isBound: true }],
    ['without scopes', keys({}), { scopes: null, isBound: false }],
    ['of odd scopes', keys({ scopes: ['read', 'a b', '<b>', 'x'.repeat(65)] }), { scopes: ['read'] }],
    ['that is not listed', sample('api-keys'), { scopes: null, subaccount: null, isBound: null }],
  ])('contract.md 4 tells the facts %s', async (_, body, facts) => {
    fake.serve('GET /api_keys', body);
    expect(await trading.readFacts()).toEqual({
      key: expect.objectContaining({ ...facts, attestationExpiresAt: '2026-12-20T15:00:00.000Z' }),
      missingAllowances: null,
    });
  });

  it.each([
    {},
    { api_key_region_expiration_ts: null },
    { api_key_region_expiration_ts: 0 },
    { api_key_region_expiration_ts: 1e300 },
  ])('contract.md 4 tells of no attestation by %j', async (attestation) => {
    fake.serve('GET /api_keys', { api_keys: [], ...attestation });
    expect(await trading.readFacts()).toMatchObject({ key: { attestationExpiresAt: null } });
  });

  it('kalshi.md 2.2 a bound key that may not see the keys tells that it is bound', async () => {
    fake.serve('GET /api_keys', BOUND, 403);
    expect(await trading.readFacts()).toEqual({
      key: { scopes: null, subaccount: null, isBound: true, attestationExpiresAt: null },
      missingAllowances: null,
    });
  });

  it.each([
    ['the one whose balance it may read', 3, '3', 4],
    ['none of the first ten', 12, null, 10],
  ])('contract.md 5.7 a bound key that may not see the keys is of %s', async (_, own, subaccount, reads) => {
    fake.serve('GET /api_keys', BOUND, 403);
    fake.on('GET /portfolio/balance', ({ query }) =>
      query.get('subaccount') === String(own) ? { body: sample('balance') } : { status: 403, body: BOUND },
    );
    expect(await trading.readFacts()).toMatchObject({ key: { subaccount, isBound: true } });
    expect(fake.calls().filter((call) => call.includes('/portfolio/balance'))).toHaveLength(reads);
  });

  it.each([
    { status: 403, body: FORBIDDEN },
    { status: 401, body: REFUSED },
    { status: 500 },
    { status: 404 },
    { body: { api_keys: 'x' } },
  ])('contract.md 4 nothing is known of a key where the answer is %j', async (answer) => {
    fake.on('GET /api_keys', () => answer);
    expect(await trading.readFacts()).toEqual({ key: null, missingAllowances: null });
  });
});

describe('a key of one subaccount that was not known to be one', () => {
  const order = sameOrder({ subaccount_number: 2 });
  /** Refuses what names a subaccount, as the exchange does. */
  const unnamed =
    (body: unknown): FakeHandler =>
    ({ query, body: sent }) =>
      query.has('subaccount') || sent.includes('subaccount') ? { status: 403, body: BOUND } : { body };

  beforeEach(() => {
    fake.on('GET /portfolio/orders', unnamed({ orders: [order], cursor: '' }));
    fake.on(`DELETE ${CREATE}/batched`, unnamed({ orders: [{ order_id: 'o-1' }] }));
    fake.on(`DELETE ${CREATE}/o-1`, unnamed({ order_id: 'o-1', reduced_by: '1.00' }));
    fake.on('GET /portfolio/balance', unnamed(sample('balance')));
    fake.on('GET /portfolio/positions', unnamed(sample('positions')));
    fake.on('GET /portfolio/fills', unnamed(sample('fills')));
  });

  const named = (): number => fake.sent('GET').filter(({ query }) => query.has('subaccount')).length;

  it('contract.md 5.7 cancels all its orders at once, and names no subaccount from then on', async () => {
    expect(await trading.cancelAllOrders()).toEqual({ cancelled: ['o-1'], not_cancelled: [] });
    expect(named()).toBe(1);
    // Another request of the same key.
    const later = fake.trading();
    await later.getBalance();
    await later.listPositions({}, { limit: 50, cursor: null });
    expect((await later.listOrders({ status: 'open' }, { limit: 50, cursor: null })).items).toHaveLength(1);
    expect(named()).toBe(1);
  });

  it('contract.md 5.7 cancels one order, and each of several calls at once finds out for itself', async () => {
    const market = () => Promise.resolve(madeOn(TICKER));
    expect(await trading.cancelOrder('o-1', market)).toMatchObject({ status: 'cancelled', cancelled_size: '1' });
    expect(fake.sent('DELETE').map(({ query }) => query.has('subaccount'))).toEqual([true, false]);
    await fake.close();
    fake = await FakeKalshi.start();
    fake.on('GET /portfolio/balance', unnamed(sample('balance')));
    const fresh = fake.trading();
    await Promise.all([fresh.getBalance(), fresh.getBalance()]);
  });

  it('kalshi.md 2.2 is told to be verified where it is refused all the same', async () => {
    fake.serve('GET /portfolio/orders', BOUND, 403);
    await expect(trading.listOrders({ status: 'open' }, { limit: 50, cursor: null })).rejects.toMatchObject({
      code: 'exchange_rejected',
      message: expect.stringContaining('verify the stored credentials'),
      details: { reason: 'permission_denied' },
    });
    expect(fake.sent('GET').filter(({ path }) => path.endsWith('/orders'))).toHaveLength(2);
  });
});

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { OrderSearch } from '../../src/exchanges/order-search.js';
import type { PreparedOrder } from '../../src/exchanges/orders.contract.js';
import { PolymarketOrderDto } from '../../src/exchanges/polymarket/trading/order.dto.js';
import { AppError } from '../../src/platform/errors/app-error.js';
import { validateAs } from '../../src/platform/http/validation.js';
import type { FakePolymarket } from '../support/fake-polymarket.js';
import type { FakeAnswer } from '../support/fake-server.js';
import { naming } from '../support/naming.js';
import type { TestSessionKey } from '../support/session-key.js';
import { aSessionKey, SESSION, startWithV2, vector, WIDE } from './polymarket-v2.fixture.js';

const POST = 'POST /clob/order';
const BODY = { market_id: WIDE, outcome: 'yes', side: 'buy', price: '0.52', size: '10' };
const SIGNER = 'the order signer address has to be the address of the API KEY';
const TAKEN = { body: { success: true, errorMsg: '', orderID: `0x${'a'.repeat(64)}`, status: 'live' } };

let fake: FakePolymarket;
let key: TestSessionKey;

beforeEach(async () => {
  fake = await startWithV2();
  key = aSessionKey();
});

afterEach(() => fake.close());

async function prepare(body: object = BODY): Promise<PreparedOrder> {
  return fake.trading(null, key).prepareOrder(await validateAs(PolymarketOrderDto, body), naming());
}

async function fate(answer: FakeAnswer, body: object = BODY): Promise<unknown> {
  fake.on(POST, () => answer);
  return (await prepare(body)).place().catch((error: unknown) => error);
}

const REFUSALS: readonly (readonly [string, FakeAnswer])[] = [
  ['a signer that is not known', { status: 400, body: { error: SIGNER } }],
  ['the same in other places', { status: 400, body: { error_msg: `order 0x1 is invalid: ${SIGNER}.` } }],
  ['an API key that is not known', { status: 401, body: { error: 'Unauthorized/Invalid api key' } }],
  ['a key that has expired', { status: 401, body: { error: 'session expired' } }],
  [
    'a signer that is not known, beside a success',
    { body: { success: true, errorMsg: SIGNER, orderID: '', status: '' } },
  ],
];

describe('a session key that the exchange refuses', () => {
  it.each(REFUSALS)('contract.md 5.9 settles for 65 s: %s', async (_name, answer) => {
    for (const agoMs of [0, 64_000, -5_000]) {
      key.activatedAt = new Date(Date.now() - agoMs);
      expect(await fate(answer)).toMatchObject({
        code: 'exchange_unavailable',
        retryable: true,
        retryAfterSeconds: 5,
        details: { reason: 'session_key_settling', exchange: { id: 'polymarket' } },
      });
    }
    expect(key.noted).toEqual([]);
    expect(fake.at(POST)).toHaveLength(3);
  });

  it.each(REFUSALS)('contract.md 5.9 is expired or revoked after 65 s, which is noted: %s', async (_name, answer) => {
    key.activatedAt = new Date(Date.now() - 65_000);
    expect(await fate(answer)).toMatchObject({
      code: 'credentials_rejected',
      retryable: false,
      details: { reason: 'session_key_expired' },
      message: expect.stringContaining('/account/credentials/polymarket/session-key'),
    });
    expect(key.noted).toEqual([true]);
  });

  it('contract.md 5.9 is not noted again after it was refused, but cleared by an order that is taken', async () => {
    key.isRefused = true;
    expect(await fate(TAKEN)).toMatchObject({ status: 'open' });
    expect(key.noted).toEqual([false]);
    key.isRefused = false;
    await fate(TAKEN);
    expect(key.noted).toEqual([false]);
  });

  it.each<[string, FakeAnswer, string]>([
    ['a lack of funds', { status: 400, body: { error: 'not enough balance / allowance' } }, 'exchange_rejected'],
    [
      'another owner',
      { status: 400, body: { error: 'the order owner has to be the owner of the API KEY' } },
      'exchange_rejected',
    ],
    ['a clock', { status: 401, body: { error: 'invalid timestamp' } }, 'exchange_error'],
    ['a gateway', { status: 401, body: 'no' }, 'order_outcome_unknown'],
    ['no answer', 'reset', 'order_outcome_unknown'],
    ['a 500', { status: 500, body: { error: SIGNER } }, 'order_outcome_unknown'],
  ])('contract.md 5.9 is not what %s means', async (_name, answer, code) => {
    key.isRefused = true;
    expect(await fate(answer)).toMatchObject({ code });
    expect(key.noted).toEqual([]);
  });

  it('R-13 says that what may have arrived may not be repeated without a key', async () => {
    expect(await fate('reset')).toMatchObject({ code: 'order_outcome_unknown', retryable: false });
  });

  it('unified-schema.md 11 does not judge an order that came signed', async () => {
    const { order } = vector('v2-deposit-session-buy').post_order_body;
    const failed = await fate({ status: 400, body: { error: SIGNER } }, { signed_order: order });
    expect(failed).toMatchObject({ code: 'exchange_rejected', details: { reason: 'invalid_order' } });
    expect(key.noted).toEqual([]);
  });
});

describe('a session key that has ended', () => {
  it('contract.md 5.9 sends no order, but still looks up and lists', async () => {
    key.validUntil = new Date(Date.now() - 1_000);
    const order = await prepare();
    await expect(order.place()).rejects.toMatchObject({
      code: 'credentials_rejected',
      details: { reason: 'session_key_expired' },
    });
    expect([fake.at(POST), key.opened, key.noted]).toEqual([[], 0, []]);
    fake.on('GET /clob/data/trades', () => ({ body: { data: [], next_cursor: 'LTE=' } }));
    expect(await order.find(new OrderSearch())).toBeNull();
    fake.on('GET /clob/data/orders', () => ({ body: { data: [], next_cursor: 'LTE=' } }));
    expect(await fake.trading(null, key).cancelAllOrders()).toEqual({ cancelled: [], not_cancelled: [] });
  });

  it('contract.md 5.9 has ended by the clock of the exchange', async () => {
    key.validUntil = new Date(Date.now() + 60_000);
    expect(await fate(TAKEN)).toMatchObject({ status: 'open' });
    fake.clockAheadMs = 120_000;
    await fake
      .trading(null, key)
      .verify()
      .catch(() => undefined);
    expect(await fate(TAKEN)).toMatchObject({ details: { reason: 'session_key_expired' } });
  });
});

describe('the private half of a session key', () => {
  it('S-39 is opened once for each sending, and by nothing else', async () => {
    const order = await prepare();
    expect(key.opened).toBe(0);
    fake.on(POST, () => TAKEN);
    await order.place();
    expect(key.opened).toBe(1);
    fake.trading(null, key).accountDigest();
    expect(key.opened).toBe(1);
  });

  it('S-39 that does not open sends nothing, and its error tells nothing of it', async () => {
    key.broken = new Error(`seal of ${SESSION.private_key} is broken`);
    const failed = await fate(TAKEN);
    expect(failed).toMatchObject({ code: 'internal_error' });
    expect(failed instanceof AppError ? failed.message : '').not.toContain(SESSION.private_key);
    expect(fake.at(POST)).toEqual([]);
  });

  it('S-39 and its API credentials are in no prepared order and no error', async () => {
    const order = await prepare();
    const failed = await fate({
      status: 400,
      body: { error: `bad ${SESSION.key} ${SESSION.passphrase} ${SESSION.secret}` },
    });
    const shown = `${JSON.stringify(order)} ${failed instanceof AppError ? JSON.stringify(failed.details) : ''}`;
    expect(shown).toContain('invalid_order');
    for (const secret of [SESSION.key, SESSION.secret, SESSION.passphrase, SESSION.private_key.slice(2)]) {
      expect(shown).not.toContain(secret);
    }
  });
});

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { SignedTransfers } from '../../src/exchanges/transfers.contract.js';
import { FakeKalshi, isSigned, NOT_FOUND, sample } from '../support/fake-kalshi.js';

const SEND = 'POST /portfolio/intra_exchange_instance_transfer';
const LIST = 'GET /portfolio/intra_exchange_instance_transfers';
const TERMS = { from_shard: '0', to_shard: '3', amount: '25' };
const CLIENT_ID = '5b8f1d6e-9a27-4c3b-8e64-0d7f2a1c9b35';
const ID = '3f0c9a52-6d1e-4b7a-9c1d-1b5c8e0d2a41';
const PAGE = { limit: 50, cursor: null };

let fake: FakeKalshi;
let transfers: SignedTransfers;

beforeEach(async () => {
  fake = await FakeKalshi.start();
  transfers = fake.trading().transfers;
  fake.serve(SEND, sample('shard-transfer.response'));
  fake.serve(`${LIST}/${ID}`, sample('shard-transfer-status'));
});

afterEach(() => fake.close());

describe('moving money between shards', () => {
  it('kalshi.md 9.4 sends it once, signed, in centicents, and reads its state back', async () => {
    expect(await transfers.create(TERMS, CLIENT_ID)).toEqual({
      exchange: 'kalshi',
      id: ID,
      from_shard: '0',
      to_shard: '3',
      amount: '25',
      currency: 'USD',
      status: 'complete',
      created_at: '2026-11-20T15:00:00.164Z',
    });
    expect(fake.calls()).toEqual([SEND, `${LIST}/${ID}`]);
    const [post] = fake.sent('POST');
    expect(JSON.parse(post?.body ?? '')).toEqual(sample('shard-transfer.request'));
    expect(post && isSigned(post)).toBe(true);
  });

  it.each([
    ['is not there yet', { status: 404, body: NOT_FOUND }],
    ['fails', { status: 500 }],
    ['may not be read', { status: 403, body: { error: { code: 'forbidden' } } }],
    [
      'is that of another',
      { body: { transfer: { ...(sample('shard-transfer-status').transfer as object), transfer_id: 'x' } } },
    ],
    ['hangs', 'hang'],
  ] as const)('contract.md 5.8 one whose state %s is pending', async (...[, answer]) => {
    fake.on(`${LIST}/${ID}`, () => answer);
    const startedAt = performance.now();
    expect(await transfers.create(TERMS, CLIENT_ID)).toMatchObject({
      id: ID,
      amount: '25',
      status: 'pending',
      created_at: null,
    });
    expect(performance.now() - startedAt).toBeLessThan(3_500);
    expect(fake.sent('POST')).toHaveLength(1);
  });

  it.each([
    ['a reset', 'hangUp', 'transfer_outcome_unknown'],
    ['a 500', { status: 500, body: { error: { code: 'internal' } } }, 'transfer_outcome_unknown'],
    ["a gateway's 503", { status: 503, body: { message: 'Service unavailable' } }, 'transfer_outcome_unknown'],
    ['a 200 without an id', { body: {} }, 'transfer_outcome_unknown'],
    [
      "the exchange's own 503",
      { status: 503, body: { error: { code: 'service_unavailable' } } },
      'transfer_outcome_unknown',
    ],
    ['a 429', { status: 429, body: { error: 'too many requests' } }, 'exchange_rate_limited'],
    ['a 401', { status: 401, body: { error: { code: 'authentication_error' } } }, 'credentials_rejected'],
  ] as const)('R-12, R-13 %s is told as it is, and nothing is sent again', async (...[, answer, code]) => {
    fake.on(SEND, () => answer);
    const error: unknown = await transfers.create(TERMS, CLIENT_ID).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code });
    expect(error).toMatchObject(
      code === 'transfer_outcome_unknown' ? { details: { client_transfer_id: CLIENT_ID } } : {},
    );
    expect(fake.calls()).toEqual([SEND]);
  });

  it.each([
    [409, 'transfer_already_exists', 'duplicate_transfer'],
    [400, 'duplicate_client_transfer_id', 'duplicate_transfer'],
    [400, 'insufficient_balance', 'insufficient_funds'],
    [403, 'forbidden', 'permission_denied'],
  ])('contract.md 5.8 a %d %s is a refusal, reason %s', async (status, code, reason) => {
    fake.serve(SEND, { error: { code, message: 'no' } }, status);
    await expect(transfers.create(TERMS, CLIENT_ID)).rejects.toMatchObject({
      code: 'exchange_rejected',
      details: { reason },
    });
  });

  it('contract.md 5 a failing clock is an ordinary error, and nothing is sent', async () => {
    fake.on('GET /exchange/status', () => 'hangUp');
    await expect(transfers.create(TERMS, CLIENT_ID)).rejects.toMatchObject({ code: 'exchange_error' });
    expect(fake.sent('POST')).toEqual([]);
  });

  it('contract.md 5.8 sends none that the exchange would read as another amount', async () => {
    const terms = { ...TERMS, amount: '0.00001' };
    await expect(transfers.create(terms, CLIENT_ID)).rejects.toMatchObject({ code: 'bad_request' });
    expect(() => {
      fake.exchange.transfers.check(terms);
    }).toThrow('amount');
    expect(fake.sent('POST')).toEqual([]);
  });
});

describe('the history of transfers', () => {
  it('contract.md 5.8 lists them newest first, those between shards alone', async () => {
    const { transfers: recorded } = sample('shard-transfers') as { transfers: { created_ts: number }[] };
    const margin = { ...recorded[0], destination: 'margined' };
    fake.serve(LIST, { transfers: [...recorded].reverse().concat(margin as never), cursor: 'more' });
    const page = await transfers.list(PAGE);
    expect(page.items.map(({ amount, status }) => [amount, status])).toEqual([
      ['25', 'pending'],
      ['100', 'complete'],
    ]);
    expect(page.next).toBe('more');
    fake.serve(LIST, { transfers: null, cursor: '' });
    expect(await transfers.list({ limit: 10, cursor: 'more' })).toEqual({ items: [], next: null });
    expect(fake.calls()).toEqual([`${LIST}?limit=50`, `${LIST}?limit=10&cursor=more`]);
  });

  it('contract.md 5.8 reads one; others are not found', async () => {
    expect(await transfers.get(ID)).toMatchObject({ id: ID, status: 'complete' });
    fake.serve(`${LIST}/none-1`, NOT_FOUND, 404);
    await expect(transfers.get('none-1')).rejects.toMatchObject({ code: 'not_found' });
    fake.serve(`${LIST}/bad-1`, { error: { code: 'invalid_UUID' } }, 400);
    await expect(transfers.get('bad-1')).rejects.toMatchObject({ code: 'not_found' });
    const transfer = { ...(sample('shard-transfer-status').transfer as object), source: 'margined' };
    fake.serve(`${LIST}/${ID}`, { transfer });
    await expect(transfers.get(ID)).rejects.toMatchObject({ code: 'not_found' });
  });
});

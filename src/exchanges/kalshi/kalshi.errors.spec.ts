import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { UpstreamErrors } from '../upstream-errors.js';
import { isOfBoundKey, KALSHI_ERRORS } from './kalshi.errors.js';

const casesOf = (file: string) =>
  z
    .object({ cases: z.array(z.object({ status: z.number(), when: z.string(), body: z.unknown() })) })
    .parse(JSON.parse(readFileSync(`test/vectors/kalshi/${file}.json`, 'utf8'))).cases;
const cases = [...casesOf('kalshi-errors'), ...casesOf('kalshi-errors-2026')];

const errors = new UpstreamErrors(KALSHI_ERRORS);
const recorded = (when: string) => {
  const found = cases.find((entry) => entry.when.startsWith(when));
  if (found === undefined) throw new Error(`no case ${when}`);
  return { status: found.status, body: found.body, retryAfterSeconds: null };
};
const answer = (status: number, body: unknown) => ({ status, body, retryAfterSeconds: null });
const reference = { details: { client_order_id: 'c-1' }, isSafeToResend: false, isOurs: true };

describe('KALSHI_ERRORS over recorded bodies', () => {
  it.each([
    ['bad signature', 'credentials_rejected', undefined],
    ['unknown key id', 'credentials_rejected', undefined],
    ['signature header missing', 'credentials_rejected', undefined],
    ['timestamp too old', 'exchange_error', 'clock_skew'],
    ['insufficient balance', 'exchange_rejected', 'insufficient_funds'],
    ['price off the tick grid', 'exchange_rejected', 'invalid_order'],
    ['post_only order', 'exchange_rejected', 'would_cross'],
    ['client_order_id used', 'exchange_rejected', 'duplicate_order'],
    ['count sent', 'exchange_rejected', 'invalid_order'],
    ['rate limited', 'exchange_rate_limited', undefined],
    ['retired V1', 'exchange_rejected', 'invalid_order'],
    ['create on a shard that holds no collateral', 'exchange_rejected', 'insufficient_funds'],
    ['the same refusal under its earlier name', 'exchange_rejected', 'insufficient_funds'],
    ["the market's shard is funded, but not enough", 'exchange_rejected', 'insufficient_funds'],
    ["the member's location attestation", 'exchange_rejected', 'attestation_expired'],
    ['trading on the exchange is paused', 'exchange_unavailable', undefined],
    ['the market itself is paused', 'exchange_rejected', 'market_closed'],
  ])('unified-schema.md 11 for an order: %s is %s', (when, code, reason) => {
    const error = errors.ofOrder(recorded(when), reference);
    expect(error.code).toBe(code);
    expect(error.details?.reason).toBe(reason);
  });

  it.each([
    ['cancel of an unknown', 'not_found', undefined],
    ['limit above', 'exchange_rejected', 'invalid_order'],
    ['rate limited', 'exchange_rate_limited', undefined],
    ['bad signature', 'credentials_rejected', undefined],
    ['timestamp too old', 'exchange_error', 'clock_skew'],
    ['cancel, decrease or amend would need', 'exchange_rejected', 'insufficient_funds'],
    ['a key that is bound to one subaccount', 'exchange_rejected', 'permission_denied'],
    ['order id in the path is not a UUID', 'not_found', undefined],
  ])('unified-schema.md 11 for other calls: %s is %s', (when, code, reason) => {
    const error = errors.ofCall(recorded(when), when.startsWith('cancel') ? 'cancel' : 'signed');
    expect(error.code).toBe(code);
    expect(error.details?.reason).toBe(reason);
  });

  it('S-51 a 401 to an unsigned call says nothing about credentials', () => {
    expect(errors.ofCall(recorded('bad signature'), 'public').code).toBe('exchange_error');
  });

  it("passes the exchange's code and words on", () => {
    expect(errors.ofOrder(recorded('post_only order'), reference).details?.exchange).toEqual({
      id: 'kalshi',
      status: 400,
      code: 'invalid_order',
      message: 'invalid order: post only cross',
    });
  });
});

describe('KALSHI_ERRORS', () => {
  it.each([
    [400, { error: { code: 'MARKET_INACTIVE' } }, 'exchange_rejected', 'market_closed'],
    [400, { error: { code: 'market_closed', message: 'market closed' } }, 'exchange_rejected', 'market_closed'],
    [400, { error: { code: 'trading_is_paused' } }, 'exchange_unavailable', undefined],
    [409, { error: { code: 'market_closed' } }, 'exchange_rejected', 'duplicate_order'],
    [409, { error: { code: 'conflict', message: 'conflict' } }, 'exchange_rejected', 'duplicate_order'],
    [
      400,
      { error: { code: 'internal_error', message: 'while confirming the order' } },
      'order_outcome_unknown',
      undefined,
    ],
    [
      401,
      { error: { code: 'authentication_error', message: 'token service timed out' } },
      'order_outcome_unknown',
      undefined,
    ],
    [400, { error: 'bad request' }, 'order_outcome_unknown', undefined],
    [429, { error: 'too many requests' }, 'exchange_rate_limited', undefined],
    [400, { error: { code: 'fill_or_kill_insufficient_resting_volume' } }, 'exchange_rejected', 'not_filled'],
    [403, { error: { code: 'forbidden', message: 'missing scope' } }, 'exchange_rejected', 'permission_denied'],
    [404, { error: { code: 'market_not_found' } }, 'not_found', undefined],
    [503, { error: { code: 'service_unavailable', message: 'paused' } }, 'order_outcome_unknown', undefined],
  ])('unified-schema.md 11 for an order: status %d with %j is %s', (status, body, code, reason) => {
    const error = errors.ofOrder(answer(status, body), reference);
    expect(error.code).toBe(code);
    expect(error.details?.reason).toBe(reason);
  });

  it.each([undefined, {}, 'text', { message: 'Service Unavailable' }, { error: {} }, { error: null }, [1]])(
    'contract.md 5 a 503 with %j proves nothing about an order: these are not the words of the exchange',
    (body) => {
      expect(errors.ofOrder(answer(503, body), reference).code).toBe('order_outcome_unknown');
    },
  );

  it.each([
    [{ code: 'invalid_order_size' }, /refused the size of the order/],
    [{ code: 'order_side_mismatch' }, /another market or side/],
    [{ code: 'order_ticker_mismatch' }, /another market or side/],
    [{ code: 'order_id_and_client_order_id_mismatch' }, /another market or side/],
  ])('kalshi.md 11 %j has words of its own', (error, words) => {
    const told = {
      code: 'exchange_rejected',
      details: { reason: 'invalid_order' },
      message: expect.stringMatching(words),
    };
    expect(errors.ofOrder(answer(400, { error }), reference)).toMatchObject(told);
    expect(errors.ofCall(answer(400, { error }), 'cancel')).toMatchObject(told);
  });

  it('kalshi.md 2.2 a key that turns out to be bound should be verified', () => {
    const error = errors.ofCall(recorded('a key that is bound to one subaccount'), 'signed');
    expect(error.message).toContain('verify the stored credentials');
    expect(isOfBoundKey(error)).toBe(true);
    expect(isOfBoundKey(errors.ofCall(recorded("the member's location attestation"), 'signed'))).toBe(false);
  });

  it.each([
    [409, { error: { code: 'transfer_already_exists' } }, 'exchange_rejected', 'duplicate_transfer'],
    [
      400,
      { error: { code: 'bad_request', message: 'duplicate client_transfer_id' } },
      'exchange_rejected',
      'duplicate_transfer',
    ],
    [400, { error: { code: 'client_transfer_id_already_used' } }, 'exchange_rejected', 'duplicate_transfer'],
    [400, { error: { code: 'insufficient_balance' } }, 'exchange_rejected', 'insufficient_funds'],
    [404, { error: { code: 'insufficient_shard_balance' } }, 'exchange_rejected', 'insufficient_funds'],
    [404, { error: { code: 'not_found' } }, 'exchange_rejected', 'invalid_order'],
    [400, { error: { code: 'bad_request', message: 'transfers are disabled' } }, 'exchange_unavailable', undefined],
    [503, { error: { code: 'service_unavailable' } }, 'transfer_outcome_unknown', undefined],
    [401, { error: { code: 'authentication_error' } }, 'credentials_rejected', undefined],
    [403, { error: { code: 'forbidden', message: 'missing scope' } }, 'exchange_rejected', 'permission_denied'],
    [409, { message: 'Conflict' }, 'transfer_outcome_unknown', undefined],
    [500, { error: { code: 'internal_server_error' } }, 'transfer_outcome_unknown', undefined],
  ])('contract.md 5.8 for a transfer: status %d with %j is %s, reason %s', (status, body, code, reason) => {
    const error = errors.ofTransfer(answer(status, body), 't-1');
    expect(error.code).toBe(code);
    expect(error.details?.reason).toBe(reason);
  });
});

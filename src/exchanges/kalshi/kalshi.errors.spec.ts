import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { UpstreamErrors } from '../upstream-errors.js';
import { KALSHI_ERRORS } from './kalshi.errors.js';

const { cases } = z
  .object({ cases: z.array(z.object({ status: z.number(), when: z.string(), body: z.unknown() })) })
  .parse(JSON.parse(readFileSync('test/vectors/kalshi/kalshi-errors.json', 'utf8')));

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
    [409, { error: { code: 'market_closed', message: 'market closed' } }, 'exchange_rejected', 'market_closed'],
    [409, { error: { code: 'trading_is_paused' } }, 'exchange_unavailable', undefined],
    [400, { error: { code: 'fill_or_kill_insufficient_resting_volume' } }, 'exchange_rejected', 'not_filled'],
    [403, { error: { code: 'forbidden', message: 'missing scope' } }, 'exchange_rejected', 'permission_denied'],
    [404, { error: { code: 'market_not_found' } }, 'not_found', undefined],
    [503, { error: { code: 'service_unavailable', message: 'paused' } }, 'exchange_unavailable', undefined],
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
});

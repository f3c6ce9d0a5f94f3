import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { UpstreamErrors } from '../upstream-errors.js';
import { POLYMARKET_ERRORS } from './polymarket.errors.js';

const file = new URL('../../../test/vectors/polymarket/polymarket-errors.json', import.meta.url);
const { cases } = JSON.parse(readFileSync(file, 'utf8')) as {
  cases: { api: string; status: number; body: { error?: string } }[];
};
const errors = new UpstreamErrors(POLYMARKET_ERRORS);
const reference = { details: { order_id: '0x1' }, isSafeToResend: true, isOurs: false };

/** What each documented body means to an order, by the beginning of its text. */
const ORDER_FATES: Readonly<Record<string, string>> = {
  'Unauthorized/Invalid api key': 'credentials_rejected',
  'Invalid order payload': 'invalid_order',
  'not enough balance / allowance': 'insufficient_funds',
  'the order owner has to be the owner of the API KEY': 'invalid_order',
  'the order signer address has to be the address of the API KEY': 'invalid_order',
  'invalid post-only order: order crosses book': 'would_cross',
  'Trading restricted in your region, please refer to available regions': 'permission_denied',
  'No orderbook exists for the requested token id': 'market_closed',
  'Too Many Requests': 'exchange_rate_limited',
  'Trading is currently cancel-only. New orders are not accepted, but cancels are allowed.': 'exchange_unavailable',
  'post-only mode: only post-only orders and cancels are allowed': 'exchange_unavailable',
  '': 'order_outcome_unknown',
};

describe('POLYMARKET_ERRORS', () => {
  it.each(cases.filter(({ api }) => api === 'clob').map((one) => [one.status, one.body.error ?? '', one] as const))(
    'unified-schema.md 11 maps the documented %i "%s" of an order',
    (_status, text, { status, body }) => {
      const { code, details } = errors.ofOrder({ status, body, retryAfterSeconds: null }, reference);
      expect(details?.reason ?? code).toBe(ORDER_FATES[text]);
    },
  );

  it.each([
    [400, { error: 'required query param user not provided' }, 'exchange_rejected', 'invalid_order'],
    [422, { type: 'validation error', error: 'offset is not allowed' }, 'exchange_rejected', 'invalid_order'],
    [404, { error: 'No orderbook exists for the requested token id' }, 'not_found', undefined],
    [401, { error: 'Unauthorized' }, 'exchange_error', undefined],
    [500, { error: 'Internal server error' }, 'exchange_error', undefined],
  ])('R-15 maps %i %j of a public read to %s', (status, body, code, reason) => {
    const error = errors.ofCall({ status, body, retryAfterSeconds: null }, 'public');
    expect([error.code, error.details?.reason]).toEqual([code, reason]);
  });

  it('R-15 takes the time to wait from the body or the header', () => {
    const body = { error: 'post-only mode', code: 'post_only_mode', retry_after_seconds: 79 };
    expect(errors.ofCall({ status: 503, body, retryAfterSeconds: null }, 'cancel').retryAfterSeconds).toBe(79);
    expect(errors.ofCall({ status: 429, body: {}, retryAfterSeconds: 2 }, 'public').retryAfterSeconds).toBe(2);
    expect(errors.ofCall({ status: 429, body: {}, retryAfterSeconds: null }, 'public').retryAfterSeconds).toBe(1);
  });
});

import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { UpstreamErrors } from '../upstream-errors.js';
import { POLYMARKET_ERRORS } from './polymarket.errors.js';

interface Documented {
  readonly cases: readonly {
    readonly api: string;
    readonly status: number;
    readonly body: string | { readonly error?: string; readonly error_msg?: string };
  }[];
}

function documented(name: string): Documented['cases'] {
  const file = new URL(`../../../test/vectors/polymarket/polymarket-${name}.json`, import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as Documented).cases;
}

const cases = [...documented('errors'), ...documented('errors-2026')];
const textOf = (body: Documented['cases'][number]['body']): string =>
  typeof body === 'string' ? '' : (body.error ?? body.error_msg ?? '');
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
  'Trading is currently cancel-only. New orders are not accepted, but cancels are allowed.': 'order_outcome_unknown',
  'post-only mode: only post-only orders and cancels are allowed': 'order_outcome_unknown',
  'market not found': 'not_found',
  'Invalid market': 'invalid_order',
  'Invalid asset type': 'invalid_order',
  'maker address not allowed, please use the deposit wallet flow': 'permission_denied',
  "'0x79A0ee76A1aA22C081658d7e66ac08E185025FEd' address in closed only mode": 'closed_only',
  "'0x79A0ee76A1aA22C081658d7e66ac08E185025FEd' address banned": 'permission_denied',
  'Too many orders in payload: 16, max allowed: 15': 'invalid_order',
  'Could not create api key': 'invalid_order',
  'Could not derive api key!': 'invalid_order',
  'Invalid L1 Request headers': 'credentials_rejected',
  'matching engine is restarting': 'exchange_unavailable',
  'Invalid Heartbeat ID': 'invalid_order',
  '': 'order_outcome_unknown',
};

describe('POLYMARKET_ERRORS', () => {
  it.each(cases.filter(({ api }) => api === 'clob').map((one) => [one.status, textOf(one.body), one] as const))(
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

  it.each([{ code: 4001 }, { retry_after_seconds: '5' }, { retry_after_seconds: -1 }])(
    'R-13 knows a refusal also where it comes with %j',
    (odd) => {
      const body = { error: 'not enough balance / allowance', ...odd };
      const refusal = errors.ofOrder({ status: 400, body, retryAfterSeconds: null }, reference);
      expect(refusal).toMatchObject({ code: 'exchange_rejected', details: { reason: 'insufficient_funds' } });
    },
  );

  it.each([
    ['order_version_mismatch', 400],
    ['invalid order version', 400],
  ])('polymarket.md 13 says of "%s" how an order is to be signed', (error, status) => {
    const refusal = errors.ofOrder({ status, body: { error }, retryAfterSeconds: null }, reference);
    expect(refusal).toMatchObject({ code: 'exchange_rejected', details: { reason: 'invalid_order' } });
    expect(refusal.message).toContain('domain');
  });

  it.each([
    [{ error: null, error_msg: "'0x1' address in closed only mode" }, 'closed_only'],
    [{ error: {}, error_msg: "'0x1' address banned" }, 'permission_denied'],
    [{ error: "'0x1' address in close-only mode", error_msg: 'x' }, 'closed_only'],
    [{ error_msg: '' }, undefined],
  ])('polymarket.md 13 reads %j under either name, of orders and other calls', (body, reason) => {
    const problem = { status: 400, body, retryAfterSeconds: null };
    expect(errors.ofOrder(problem, reference).details?.reason).toBe(reason);
    expect(errors.ofCall(problem, 'signed').details?.reason).toBe(reason ?? 'invalid_order');
  });

  it.each(cases.filter(({ api }) => api === 'data-v2').map((one) => [one.status, textOf(one.body), one] as const))(
    'R-15 maps the documented %i "%s" of the Data API',
    (status, _text, { body }) => {
      const codes = new Map([
        [400, 'exchange_rejected'],
        [404, 'not_found'],
        [429, 'exchange_rate_limited'],
        [503, 'exchange_unavailable'],
      ]);
      const { code, details } = errors.ofCall({ status, body, retryAfterSeconds: null }, 'public');
      expect(code).toBe(codes.get(status));
      expect(details?.exchange?.code ?? null).toBe(
        typeof body === 'string' ? null : (Object(body) as { code: string }).code,
      );
    },
  );

  it('R-15 takes the time to wait from the body or the header', () => {
    const body = { error: 'post-only mode', code: 'post_only_mode', retry_after_seconds: 79 };
    expect(errors.ofCall({ status: 503, body, retryAfterSeconds: null }, 'cancel').retryAfterSeconds).toBe(79);
    expect(errors.ofCall({ status: 429, body: {}, retryAfterSeconds: 2 }, 'public').retryAfterSeconds).toBe(2);
    expect(errors.ofCall({ status: 429, body: {}, retryAfterSeconds: null }, 'public').retryAfterSeconds).toBe(1);
  });
});

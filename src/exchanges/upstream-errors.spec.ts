import { describe, expect, it } from '@jest/globals';
import { Secret } from '../platform/secrets/secret.js';
import { UpstreamError, type UpstreamFailure } from '../platform/upstream/upstream-client.js';
import { type CallKind, type ErrorDialect, UpstreamErrors } from './upstream-errors.js';

const DIALECT: ErrorDialect = {
  id: 'exchange',
  name: 'The exchange',
  readFault: (body) => (typeof body === 'string' ? { code: body.split(' ')[0] ?? null, text: body } : null),
  rules: [
    { code: 'broke', verdict: 'insufficient_funds' },
    { text: /crosses/, verdict: 'would_cross' },
    { status: 404, text: /gone/, on: ['cancel'], verdict: 'not_cancellable' },
    { code: 'late', status: 401, verdict: 'clock_skew' },
  ],
};
const errors = new UpstreamErrors(DIALECT);
const answer = (status: number, body?: unknown, retryAfterSeconds: number | null = null) => ({
  status,
  body,
  retryAfterSeconds,
});

describe('UpstreamErrors.ofCall', () => {
  it.each<[UpstreamFailure, string, number]>([
    ['unreachable', 'exchange_error', 502],
    ['interrupted', 'exchange_error', 502],
    ['unreadable', 'exchange_error', 502],
    ['too_large', 'exchange_error', 502],
    ['redirect', 'exchange_error', 502],
    ['timeout', 'exchange_timeout', 504],
    ['busy', 'exchange_unavailable', 503],
    ['paused', 'exchange_unavailable', 503],
  ])('R-15 %s is %s', (failure, code, status) => {
    const error = errors.ofCall(new UpstreamError(failure, true), 'public');
    expect(error).toMatchObject({ code, status, retryable: true });
    expect(error.details).toEqual({ exchange: { id: 'exchange', status: null, code: null } });
    expect(error.retryAfterSeconds).toBe(1);
  });

  it.each<[number, unknown, CallKind, string, string | undefined]>([
    [404, undefined, 'public', 'not_found', undefined],
    [404, 'gone', 'cancel', 'exchange_rejected', 'not_cancellable'],
    [404, 'gone', 'signed', 'not_found', undefined],
    [401, undefined, 'signed', 'credentials_rejected', undefined],
    [401, undefined, 'cancel', 'credentials_rejected', undefined],
    [401, undefined, 'public', 'exchange_error', undefined],
    [401, 'late by an hour', 'signed', 'exchange_error', 'clock_skew'],
    [403, undefined, 'signed', 'exchange_rejected', 'permission_denied'],
    [400, 'what', 'public', 'exchange_rejected', 'invalid_order'],
    [429, undefined, 'public', 'exchange_rate_limited', undefined],
    [425, undefined, 'public', 'exchange_unavailable', undefined],
    [503, undefined, 'public', 'exchange_unavailable', undefined],
    [500, undefined, 'public', 'exchange_error', undefined],
    [502, 'what', 'signed', 'exchange_error', undefined],
    [204, undefined, 'signed', 'exchange_error', undefined],
  ])('R-15 status %d with %p on a %s call is %s', (...[status, body, kind, code, reason]) => {
    const error = errors.ofCall(answer(status, body), kind);
    expect(error.code).toBe(code);
    expect(error.details?.reason).toBe(reason);
    expect(error.details?.exchange).toMatchObject({ id: 'exchange', status });
  });

  it('contract.md 3 passes Retry-After on, and names 1 where the exchange names none', () => {
    expect(errors.ofCall(answer(429, undefined, 7), 'public').retryAfterSeconds).toBe(7);
    expect(errors.ofCall(answer(429, undefined, 0), 'public').retryAfterSeconds).toBe(1);
    expect(errors.ofCall(answer(503), 'public').retryAfterSeconds).toBe(1);
    const paused = new UpstreamError('paused', false, { retryAfterSeconds: 4.2 });
    expect(errors.ofCall(paused, 'public').retryAfterSeconds).toBe(5);
  });

  it("S-45 shows the exchange's words in exchange_rejected alone, scrubbed", () => {
    const hidden = new UpstreamErrors(DIALECT, [new Secret('hunter2')]);
    const rejected = hidden.ofCall(
      answer(400, 'broke says hunter2\r\n\u202e0x1234567890abcdef1234567890abcdef'),
      'signed',
    );
    expect(rejected.details).toEqual({
      reason: 'insufficient_funds',
      exchange: { id: 'exchange', status: 400, code: 'broke', message: 'broke says […]' },
    });
    expect(hidden.ofCall(answer(500, 'broken at line 5'), 'signed').details?.exchange).not.toHaveProperty('message');
    expect(hidden.ofCall(answer(400, '<html>'), 'signed').details?.exchange?.code).toBeNull();
  });
});

describe('UpstreamErrors.ofOrder', () => {
  const byClient = { details: { client_order_id: 'c-1' }, isSafeToResend: false, isOurs: true };

  it.each<[UpstreamFailure, string]>([
    ['unreachable', 'exchange_error'],
    ['interrupted', 'exchange_error'],
    ['timeout', 'exchange_error'],
    ['busy', 'exchange_unavailable'],
    ['paused', 'exchange_unavailable'],
  ])('R-13 %s before a byte left is %s', (failure, code) => {
    expect(errors.ofOrder(new UpstreamError(failure, false), byClient)).toMatchObject({ code, retryable: true });
  });

  it.each<UpstreamFailure>(['interrupted', 'timeout', 'unreadable', 'too_large', 'redirect', 'aborted'])(
    'R-13 %s after sending is order_outcome_unknown',
    (failure) => {
      const error = errors.ofOrder(new UpstreamError(failure, true), byClient);
      expect(error).toMatchObject({ code: 'order_outcome_unknown', status: 504, retryable: false });
      expect(error.details).toMatchObject(byClient.details);
    },
  );

  it.each<[number, unknown]>([
    [500, 'broke'],
    [502, undefined],
    [504, 'broke'],
    [503, undefined],
    [503, { html: true }],
    [503, 'closed for today'],
    [425, undefined],
    [204, undefined],
    [302, undefined],
    [408, 'timed out'],
    [499, 'closed'],
    ...[400, 401, 403, 404, 408, 409, 410, 422, 429, 499].map((status): [number, unknown] => [status, undefined]),
    ...[400, 401, 403, 404, 409, 410, 422, 429].map((status): [number, unknown] => [status, { html: true }]),
  ])('R-13 status %p with %p proves nothing', (status, body) => {
    expect(errors.ofOrder(answer(status, body), byClient).code).toBe('order_outcome_unknown');
  });

  it.each([
    [400, 'broke', 'exchange_rejected', 'insufficient_funds'],
    [400, 'it crosses', 'exchange_rejected', 'would_cross'],
    [422, 'no', 'exchange_rejected', 'invalid_order'],
    [410, 'no', 'exchange_rejected', 'invalid_order'],
    [409, 'no', 'exchange_rejected', 'duplicate_order'],
    [401, 'no', 'credentials_rejected', undefined],
    [403, 'no', 'exchange_rejected', 'permission_denied'],
    [404, 'no', 'not_found', undefined],
    [429, 'no', 'exchange_rate_limited', undefined],
    [425, 'restarting', 'exchange_unavailable', undefined],
  ])('contract.md 5 status %d with %p proves refusal: %s', (status, body, code, reason) => {
    const error = errors.ofOrder(answer(status, body), byClient);
    expect(error.code).toBe(code);
    expect(error.details?.reason).toBe(reason);
    expect(error.details).not.toHaveProperty('client_order_id');
  });

  it('contract.md 3 an unknown outcome is retryable where the order hash makes a repeat safe', () => {
    const byHash = { details: { order_id: '0xabc' }, isSafeToResend: true, isOurs: false };
    const error = errors.ofOrder(new UpstreamError('timeout', true), byHash);
    expect(error.retryable).toBe(true);
    expect(error.details).toMatchObject({ order_id: '0xabc' });
  });
});

describe('UpstreamErrors.ofRefusal', () => {
  it('states a refusal found in a 200', () => {
    const error = errors.ofRefusal('not_filled', 200, { code: null, text: 'no match' });
    expect(error).toMatchObject({
      code: 'exchange_rejected',
      details: { reason: 'not_filled', exchange: { id: 'exchange', status: 200, code: null, message: 'no match' } },
    });
  });
});

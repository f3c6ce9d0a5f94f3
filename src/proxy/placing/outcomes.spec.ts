import { describe, expect, it } from '@jest/globals';
import { AppError, type ErrorDetails } from '../../platform/errors/app-error.js';
import { isKept, keptRefusal, throwRefusal } from './outcomes.js';

function refused(details: ErrorDetails): AppError {
  return new AppError('exchange_rejected', 'The exchange refused it.', { details });
}

describe('refusals under an Idempotency-Key (contract.md 5.3)', () => {
  it.each(['insufficient_funds', 'allowance_missing', 'attestation_expired'] as const)(
    'are not kept for %s, which their owner cures',
    (reason) => {
      expect(isKept(refused({ reason }))).toBe(false);
    },
  );

  it.each(['invalid_order', 'market_closed', 'duplicate_order', 'not_filled'] as const)('are kept for %s', (reason) => {
    expect(isKept(refused({ reason }))).toBe(true);
  });

  it('are not kept where the exchange proved none', () => {
    for (const code of ['credentials_rejected', 'exchange_rate_limited', 'exchange_error', 'bad_request'] as const) {
      expect(isKept(new AppError(code, 'no'))).toBe(false);
    }
  });

  it('contract.md 5.3 are kept for a bad_request that the exchange refused, and for no other', () => {
    const fields = [{ field: 'price', message: 'off the tick' }];
    const exchange = { id: 'kalshi', status: 400, code: 'invalid_price' };
    expect(isKept(new AppError('bad_request', 'no', { details: { fields, exchange } }))).toBe(true);
    expect(isKept(new AppError('bad_request', 'no', { details: { fields } }))).toBe(false);
  });

  it('are thrown again with all of their details, marked as a replay', () => {
    const details = {
      reason: 'invalid_order' as const,
      spender: '0x4D97DCd97eC945f40cF65F87097ACe5EA0476045',
      shard: { needed: '2', available: [{ shard: '0', available: '25' }] },
      client_transfer_id: '5b8f1d6e-9a27-4c3b-8e64-0d7f2a1c9b35',
      exchange: { id: 'kalshi', status: 400, code: 'no', message: 'its words' },
    };
    const kept: unknown = JSON.parse(JSON.stringify(keptRefusal(refused(details))));
    expect(() => throwRefusal(kept)).toThrow(
      expect.objectContaining({ code: 'exchange_rejected', details, headers: { 'Idempotency-Replayed': 'true' } }),
    );
  });
});

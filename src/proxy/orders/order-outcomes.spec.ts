import { describe, expect, it } from '@jest/globals';
import { AppError, type ErrorDetails } from '../../platform/errors/app-error.js';
import { isKept, keptRefusal, throwRefusal } from './order-outcomes.js';

function refused(details: ErrorDetails): AppError {
  return new AppError('exchange_rejected', 'The exchange refused it.', { details });
}

describe('refusals under an Idempotency-Key (contract.md 5 and 9)', () => {
  it.each(['insufficient_funds', 'allowance_missing', 'attestation_expired'])(
    'are not kept for %s, which their owner cures',
    (reason) => {
      expect(isKept(refused({ reason }))).toBe(false);
    },
  );

  it.each(['invalid_order', 'market_closed', 'duplicate_order', 'something_new'])('are kept for %s', (reason) => {
    expect(isKept(refused({ reason }))).toBe(true);
  });

  it('are not kept where the exchange proved none', () => {
    for (const code of ['credentials_rejected', 'exchange_rate_limited', 'exchange_error', 'bad_request'] as const) {
      expect(isKept(new AppError(code, 'no'))).toBe(false);
    }
  });

  it('are thrown again with all of their details, marked as a replay', () => {
    const details = {
      reason: 'invalid_order',
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

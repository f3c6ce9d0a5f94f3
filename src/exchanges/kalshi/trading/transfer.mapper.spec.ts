import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { AppError } from '../../../platform/errors/app-error.js';
import {
  checkTransferTerms,
  isBetweenShards,
  toPendingTransfer,
  toTransfer,
  toTransferBody,
} from './transfer.mapper.js';
import { wireOneTransfer } from './transfer.wire.js';

const sample = (name: string): unknown => JSON.parse(readFileSync(`test/vectors/kalshi/kalshi-${name}.json`, 'utf8'));
const TERMS = { from_shard: '0', to_shard: '3', amount: '25' };
const ID = '5b8f1d6e-9a27-4c3b-8e64-0d7f2a1c9b35';

describe('toTransferBody', () => {
  it('kalshi.md 9.4 writes it field for field as Kalshi documents it, in centicents', () => {
    expect(toTransferBody(TERMS, ID)).toEqual(sample('shard-transfer.request'));
  });

  it.each([
    ['1', 10_000],
    ['0.0001', 1],
    ['25.5', 255_000],
    ['0.1000000', 1_000],
    ['19.99', 199_900],
    ['1.1', 11_000],
    ['900719925474.0991', 9_007_199_254_740_991],
  ])('kalshi.md 9.4 $%s are %d centicents', (amount, centicents) => {
    expect(toTransferBody({ ...TERMS, amount }, ID).amount).toBe(centicents);
  });
});

describe('checkTransferTerms', () => {
  const fieldOf = (terms: typeof TERMS): string | undefined => {
    try {
      checkTransferTerms(terms);
    } catch (error) {
      if (error instanceof AppError && error.code === 'bad_request') return error.details?.fields?.[0]?.field;
      throw error;
    }
    return undefined;
  };

  it.each(['0', '-1', '', '1e2', '0.00001', '1.00001', '+1', ' 1', '01', '900719925474.0992', '9'.repeat(65), 'x'])(
    'contract.md 5.8 refuses the amount %p by name',
    (amount) => {
      expect(fieldOf({ ...TERMS, amount })).toBe('amount');
    },
  );

  it.each(['', '-1', '00', '01', '101', '1.0', ' 1', 'x', '1000', '٣'])(
    'contract.md 5.8 refuses the shard %p by name',
    (shard) => {
      expect(fieldOf({ ...TERMS, from_shard: shard })).toBe('from_shard');
      expect(fieldOf({ ...TERMS, to_shard: shard })).toBe('to_shard');
    },
  );

  it('contract.md 5.8 refuses a transfer to the same shard, and takes every other', () => {
    expect(fieldOf({ ...TERMS, to_shard: '0' })).toBe('to_shard');
    expect(fieldOf({ ...TERMS, from_shard: '100' })).toBeUndefined();
    expect(fieldOf({ ...TERMS, from_shard: '10', to_shard: '9' })).toBeUndefined();
  });
});

describe('toTransfer', () => {
  const { transfer } = wireOneTransfer.parse(sample('shard-transfer-status'));

  it('contract.md 5.8 gives a transfer in dollars', () => {
    expect(toTransfer(transfer)).toEqual({
      exchange: 'kalshi',
      id: '3f0c9a52-6d1e-4b7a-9c1d-1b5c8e0d2a41',
      from_shard: '0',
      to_shard: '3',
      amount: '25',
      currency: 'USD',
      status: 'complete',
      created_at: '2026-11-20T15:00:00.164Z',
    });
  });

  it.each(['pending', 'in_review', ''])('contract.md 5.8 a transfer whose status is %p is pending', (status) => {
    expect(toTransfer({ ...transfer, status }).status).toBe('pending');
  });

  it('tells those of margin apart', () => {
    expect(isBetweenShards(transfer)).toBe(true);
    expect(isBetweenShards({ ...transfer, destination: 'margined' })).toBe(false);
    expect(isBetweenShards({ ...transfer, source: 'margined' })).toBe(false);
  });

  it('one that was not read since is as it was asked for', () => {
    expect(toPendingTransfer('t-1', { ...TERMS, amount: '25.00' })).toMatchObject({
      id: 't-1',
      amount: '25',
      status: 'pending',
      created_at: null,
    });
  });
});

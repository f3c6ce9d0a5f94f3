import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { WriteBudgets } from './write-budgets.js';

const holding = (bucket_capacity: number) => () => Promise.resolve({ write: { bucket_capacity } });

describe('how many orders a call may have (kalshi.md 10)', () => {
  it.each([
    [100, 10],
    [900, 90],
    [899.9, 89],
    [59, 5],
    [0, 1],
  ])('a bucket of %s tokens holds %s', async (tokens, orders) => {
    const budgets = new WriteBudgets();
    expect(budgets.mostOf('one', 11, holding(tokens))).toBe(10);
    await turn();
    expect([11, 2].map((count) => budgets.mostOf('one', count, holding(1)))).toEqual([orders, orders]);
    expect(budgets.mostOf('other', 11, holding(1))).toBe(10);
  });

  it('is not asked for what the smallest holds, nor twice at once, nor again at once where it could not be read', async () => {
    const budgets = new WriteBudgets();
    let reads = 0;
    const failing = () => {
      reads += 1;
      return Promise.reject(new Error('not now'));
    };
    expect(budgets.mostOf('one', 10, failing)).toBe(10);
    expect(reads).toBe(0);
    for (let batch = 0; batch < 3; batch += 1) {
      expect(budgets.mostOf('one', 15, failing)).toBe(10);
      await turn();
    }
    expect(reads).toBe(1);
  });
});

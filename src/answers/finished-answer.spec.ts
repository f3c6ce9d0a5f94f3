import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { FinishedAnswer } from './finished-answer.js';

function anAnswer(lifeMs: number, uses: number, madeInMs = 0): FinishedAnswer {
  const answer = new FinishedAnswer(Buffer.from('{}'), performance.now() + lifeMs, madeInMs);
  for (let use = 0; use < uses; use += 1) answer.countUse();
  return answer;
}

describe('a finished answer that is renewed ahead (contract.md 5.10)', () => {
  it('is renewed by one of those who ask in the last fifth of its life', async () => {
    const answer = anAnswer(500, 100);
    expect([answer.isDueForRenewal, answer.claimRenewal()]).toEqual([false, false]);
    await delay(410);
    expect([1, 2, 3].map(() => answer.claimRenewal())).toEqual([true, false, false]);
    expect(answer.isDueForRenewal).toBe(false);
  });

  it('is not where it is seldom asked for', async () => {
    const answer = anAnswer(50, 99);
    await delay(60);
    expect(answer.claimRenewal()).toBe(false);
    answer.countUse();
    expect(answer.claimRenewal()).toBe(true);
  });

  it('is so early that it is made in time, in the second half of its life', async () => {
    const [slow, slower] = [anAnswer(1_000, 100, 150), anAnswer(1_000, 100, 900)];
    await delay(450);
    expect([slow.isDueForRenewal, slower.isDueForRenewal]).toEqual([false, false]);
    await delay(100);
    expect([slow.isDueForRenewal, slower.isDueForRenewal]).toEqual([false, true]);
    await delay(200);
    expect(slow.isDueForRenewal).toBe(true);
  });

  it('is not earlier than a second before the end of a long life', async () => {
    const answer = anAnswer(1_300, 100);
    const late = anAnswer(10_000, 100);
    await delay(1_120);
    expect([answer.claimRenewal(), late.claimRenewal()]).toEqual([true, false]);
  });
});

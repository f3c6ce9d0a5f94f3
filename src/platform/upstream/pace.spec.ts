import { describe, expect, it } from '@jest/globals';
import { Callers } from './callers.js';
import { CallLimit } from './call-limit.js';
import { Pace } from './pace.js';
import { UpstreamError } from './upstream-client.js';

/** Runs `count` attempts of one caller; returns when each was let go, in ms from the first. */
function attempts(pace: Pace, caller: string, count: number, limitMs = 5_000): Promise<number>[] {
  const begun = performance.now();
  return Array.from({ length: count }, async () => {
    const limit = new CallLimit(limitMs, undefined);
    try {
      await pace.enter({ callers: new Callers(caller), limit });
      return performance.now() - begun;
    } finally {
      limit.dispose();
    }
  });
}

describe('Pace', () => {
  it('R-10, R-11 lets a few go at once, and no more than so many in any second', async () => {
    const times = (await Promise.all(attempts(new Pace(20), 'a', 30))).toSorted((one, other) => one - other);
    expect(times).toHaveLength(30);
    const last = times.at(-1) ?? Infinity;
    expect(times[3]).toBeLessThan(last / 4);
    expect(last).toBeLessThan(4_000);
    const most = Math.max(...times.map((from) => times.filter((time) => time >= from && time < from + 1_000).length));
    expect(most).toBeLessThanOrEqual(20);
    expect(most).toBeGreaterThan(12);
  });

  it('R-27 lets callers go in turn, however many attempts one has', async () => {
    const pace = new Pace(4);
    const order: string[] = [];
    const many = attempts(pace, 'many', 6);
    const few = attempts(pace, 'few', 1);
    await Promise.all([
      ...many.map(async (one) => one.then(() => order.push('many'))),
      ...few.map(async (one) => one.then(() => order.push('few'))),
    ]);
    expect(order.indexOf('few')).toBeLessThanOrEqual(3);
  });

  it('R-10 ends each wait with the time of its call, and the place goes to another', async () => {
    const pace = new Pace(2);
    const [first, late] = [attempts(pace, 'a', 1), attempts(pace, 'a', 1, 50)];
    const other = attempts(pace, 'b', 1);
    const goes = first[0]?.then(() => 'the first goes');
    const ends = late[0]?.catch(() => 'the late one ends');
    expect(await Promise.race([goes, ends])).toBe('the first goes');
    await expect(late[0]).rejects.toMatchObject({ failure: 'timeout', sent: false });
    expect(await other[0]).toBeLessThan(2_000);
  });

  it('R-10 refuses one caller’s attempts beyond the room that is left, and takes another’s', async () => {
    const pace = new Pace(2);
    const all = Promise.allSettled(attempts(pace, 'a', 300, 500));
    const other = Promise.allSettled(attempts(pace, 'b', 1, 500));
    const busy = (await all).filter(
      (one) => one.status === 'rejected' && one.reason instanceof UpstreamError && one.reason.failure === 'busy',
    );
    expect(busy.length).toBe(300 - 1 - 200);
    expect((await other)[0]).toMatchObject({ reason: { failure: 'timeout' } });
  });
});

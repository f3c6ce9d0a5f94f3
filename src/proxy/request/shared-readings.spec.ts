import { describe, expect, it } from '@jest/globals';
import { SharedReadings } from './shared-readings.js';

/** Readings that end when they are told to, numbered from 1 in the order of their begin. */
class Work {
  #ends: (() => void)[] = [];
  begun = 0;

  readonly read = async (): Promise<number> => {
    this.begun += 1;
    const number = this.begun;
    await new Promise<void>((resolve) => {
      this.#ends.push(resolve);
    });
    if (number === this.fails) throw new Error('it failed');
    return number;
  };

  constructor(private readonly fails = 0) {}

  end(): void {
    for (const end of this.#ends.splice(0)) end();
  }
}

async function untilBegun(work: Work, count: number): Promise<void> {
  while (work.begun < count) await new Promise(setImmediate);
}

describe('readings that are shared', () => {
  it('serve who asks while they run, and so long after', async () => {
    const [work, readings] = [new Work(), new SharedReadings<number>(60_000)];
    const both = [readings.read('a', work.read), readings.read('a', work.read)];
    work.end();
    expect(await Promise.all([...both, readings.read('a', work.read)])).toEqual([1, 1, 1]);
    const fresh = readings.read('a', work.read, true);
    work.end();
    expect(await fresh).toBe(2);
  });

  it.each([0, 1])(
    'serve nobody who asks for a fresh one after their begin; one more serves all of these (%i failed)',
    async (fails) => {
      const [work, readings] = [new Work(fails), new SharedReadings<number>(60_000)];
      const first = readings.read('a', work.read).catch(() => 0);
      const fresh = [readings.read('a', work.read, true), readings.read('a', work.read, true)];
      const joined = readings.read('a', work.read).catch(() => 0);
      expect(work.begun).toBe(1);
      work.end();
      expect([await first, await joined]).toEqual([1 - fails, 1 - fails]);
      await untilBegun(work, 2);
      const later = [readings.read('a', work.read), readings.read('a', work.read, true)];
      work.end();
      expect(await Promise.all([...fresh, later[0]])).toEqual([2, 2, 2]);
      await untilBegun(work, 3);
      work.end();
      expect(await later[1]).toBe(3);
      expect(work.begun).toBe(3);
    },
  );
});

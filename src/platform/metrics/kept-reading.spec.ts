import { beforeEach, describe, expect, it } from '@jest/globals';
import { KeptReading } from './kept-reading.js';

describe('KeptReading', () => {
  let now: number;
  let readings: number;

  beforeEach(() => {
    [now, readings] = [0, 0];
  });

  function keptOf<T>(read: () => Promise<T>, patienceMs = 60_000): KeptReading<T> {
    return new KeptReading(read, { keepMs: 500, patienceMs }, () => now);
  }

  it('reads once for all who ask at once, and again when its time is over', async () => {
    const kept = keptOf(() => Promise.resolve((readings += 1)));
    expect(await Promise.all([kept.get(), kept.get()])).toEqual([1, 1]);
    now = 499;
    expect(await kept.get()).toBe(1);
    now = 500;
    expect(await kept.get()).toBe(2);
  });

  it('keeps a failure for a tenth of the time', async () => {
    const kept = keptOf(() => ((readings += 1) === 1 ? Promise.reject(new Error('away')) : Promise.resolve(7)));
    await expect(kept.get()).rejects.toThrow('away');
    now = 49;
    await expect(kept.get()).rejects.toThrow('away');
    now = 50;
    expect(await kept.get()).toBe(7);
  });

  it('does not wait for ever, begins no second reading meanwhile, and has the first when it comes', async () => {
    let finish: (value: number) => void = () => undefined;
    const read = (): Promise<number> => {
      readings += 1;
      return new Promise((resolve) => (finish = resolve));
    };
    const kept = keptOf(read, 20);
    await expect(kept.get()).rejects.toThrow('too long');
    now = 10_000;
    await expect(kept.get()).rejects.toThrow('too long');
    finish(5);
    expect([await kept.get(), readings]).toEqual([5, 1]);
  });
});

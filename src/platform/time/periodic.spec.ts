import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Periodic } from './periodic.js';

describe('Periodic', () => {
  let begun: number;
  let failures: unknown[];
  let end: () => void;
  let periodic: Periodic;

  const slow = (): Promise<void> => {
    begun += 1;
    return new Promise((resolve) => (end = resolve));
  };

  beforeEach(() => {
    [begun, failures, end] = [0, [], () => undefined];
  });

  afterEach(async () => {
    end();
    await periodic.stop();
  });

  it('begins no run while one is under way', async () => {
    periodic = new Periodic(1, slow);
    periodic.start();
    periodic.run();
    periodic.run();
    await delay(20);
    expect(begun).toBe(1);
    end();
    await delay(20);
    expect(begun).toBe(2);
  });

  it('tells of a failure, and goes on', async () => {
    const fail = (): Promise<void> => Promise.reject(new Error(`no ${(begun += 1)}`));
    periodic = new Periodic(1, fail, (error) => failures.push(error));
    periodic.start(0);
    while (begun < 2) await delay(1);
    expect(failures.slice(0, 2)).toEqual([new Error('no 1'), new Error('no 2')]);
  });

  it('stops with the run that is under way, and begins no other', async () => {
    periodic = new Periodic(1, slow);
    periodic.start();
    periodic.run();
    let hasStopped = false;
    const stopped = periodic.stop().then(() => (hasStopped = true));
    await delay(10);
    expect([periodic.hasStopped, hasStopped]).toEqual([true, false]);
    end();
    await stopped;
    periodic.run();
    await delay(10);
    expect(begun).toBe(1);
  });
});

import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { ExpiringCache } from './expiring-cache.js';

const later = (): number => performance.now() + 60_000;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('ExpiringCache (contract.md 2)', () => {
  it('forgets what was kept first where there is too much, in number or in bytes', () => {
    const cache = new ExpiringCache<string>({ entries: 3, bytes: 100 });
    for (const key of ['a', 'b', 'c', 'd']) cache.set(key, key, { bytes: 1, end: later() });
    expect(['a', 'b', 'c', 'd'].map((key) => cache.get(key))).toEqual([undefined, 'b', 'c', 'd']);
    cache.set('e', 'e', { bytes: 99, end: later() });
    expect(['b', 'c', 'd', 'e'].map((key) => cache.get(key))).toEqual([undefined, undefined, 'd', 'e']);
    cache.set('f', 'f', { bytes: 101, end: later() });
    expect(['d', 'e', 'f'].map((key) => cache.get(key))).toEqual([undefined, undefined, undefined]);
    cache.set('g', 'g', { bytes: 100, end: later() });
    expect(cache.get('g')).toBe('g');
    cache.clear();
  });

  it('counts a replaced value once', () => {
    const cache = new ExpiringCache<string>({ entries: 3, bytes: 100 });
    for (const value of ['a', 'b', 'c']) cache.set('same', value, { bytes: 60, end: later() });
    cache.set('other', 'd', { bytes: 40, end: later() });
    expect([cache.get('same'), cache.get('other')]).toEqual(['c', 'd']);
    cache.clear();
    expect([cache.get('same'), cache.get('other')]).toEqual([undefined, undefined]);
  });

  it('never returns what has ended, also before its timer could run', async () => {
    const cache = new ExpiringCache<string>({ entries: 3, bytes: 100 });
    const end = performance.now() + 30;
    cache.set('a', 'a', { bytes: 1, end });
    expect(cache.get('a')).toBe('a');
    while (performance.now() <= end);
    expect(cache.get('a')).toBeUndefined();
    cache.set('b', 'b', { bytes: 1, end: later() });
    await delay(50);
    expect([cache.get('a'), cache.get('b')]).toEqual([undefined, 'b']);
    cache.clear();
  });

  it('lets go of all that has ended without being asked, and of what is kept after that too', async () => {
    const cache = new ExpiringCache<object>({ entries: 9, bytes: 100 });
    const kept = (key: string, lifeMs: number): WeakRef<object> => {
      const value = { key };
      cache.set(key, value, { bytes: 1, end: performance.now() + lifeMs });
      return new WeakRef(value);
    };
    const early = ['a', 'b', 'c'].map((key) => kept(key, 20));
    const lasting = kept('d', 60_000);
    await delay(60);
    collectGarbage();
    expect(early.map((value) => value.deref())).toEqual([undefined, undefined, undefined]);
    expect(lasting.deref()).toBe(cache.get('d'));
    cache.clear();
    await delay(1);
    const again = kept('e', 20);
    await delay(60);
    collectGarbage();
    expect(again.deref()).toBeUndefined();
  });
});

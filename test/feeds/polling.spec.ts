import { beforeEach, describe, expect, it } from '@jest/globals';
import { Polling } from '../../src/feeds/polling.js';
import { Listener, ref, ScriptedFeed } from './scripted-feed.js';

describe('feeds.md 3 books that are polled', () => {
  let script: ScriptedFeed;
  let polling: Polling;
  let calls: string[];
  let size: string;
  let isAway: boolean;

  beforeEach(() => {
    script = new ScriptedFeed({ isPolled: true });
    polling = new Polling(script.feed, script.feeds, script.clock);
    [calls, size, isAway] = [[], '10', false];
    script.read = async (keys) => {
      calls.push(keys.join());
      await script.clock.wait(50);
      if (isAway) throw new Error('away');
      const known = keys.filter((key) => key !== 'unknown');
      return known.map((key) => ({ key, bids: [{ price: '0.4', size }], asks: [], facts: {} }));
    };
    script.clock.every(Polling.paceMs, () => {
      polling.tick();
    });
  });

  it('are read in turn, as many a call as the exchange takes, once a second at most', async () => {
    for (const key of ['A', 'B', 'C']) script.feed.watch(ref(key), 0, new Listener());
    await script.clock.run(1_000);
    expect([calls, polling.intervalMs]).toEqual([['A,B', 'C'], 1_000]);
    await script.clock.run(1_000);
    expect(calls).toHaveLength(4);
  });

  it('more books than a second reads are read less often: five calls a second', async () => {
    for (let at = 0; at < 20; at += 1) script.feed.watch(ref(`B${at}`), 0, new Listener());
    await script.clock.run(2_000);
    expect([calls.length, new Set(calls).size, polling.intervalMs]).toEqual([10, 10, 2_000]);
  });

  it('tell what differs from one read to the next, and nothing where nothing does', async () => {
    const listener = new Listener();
    script.feed.watch(ref('A'), 0, listener);
    await script.clock.run(3_000);
    size = '11';
    await script.clock.run(3_000);
    expect(listener.told).toEqual(['snapshot initial 1', 'live', 'update 1>2']);
  });

  it('are stale where HTTP fails for long, and whole again afterwards', async () => {
    const listener = new Listener();
    script.feed.watch(ref('A'), 0, listener);
    await script.clock.run(1_000);
    isAway = true;
    await script.clock.run(5_000);
    expect(listener.told.at(-1)).toBe('live');
    await script.clock.run(2_000);
    expect(listener.told.at(-1)).toBe('stale silent');
    isAway = false;
    await script.clock.run(1_500);
    expect(listener.told.slice(-2)).toEqual(['snapshot resync 2', 'live']);
  });

  it('a book that HTTP leaves out is stale, and closed where the market is', async () => {
    const listener = new Listener();
    script.feed.watch(ref('unknown'), 0, listener);
    script.standings.set('unknown', 'market_closed');
    await script.clock.run(6_000);
    expect(listener.told).toEqual(['stale silent', 'closed market_closed']);
  });
});

import { describe, expect, it } from '@jest/globals';
import { Listener, ref, ScriptedFeed } from './scripted-feed.js';

describe('feeds.md 3 the feed of an exchange', () => {
  it('subscribes for the first reader, and tells the others what is known', async () => {
    const script = new ScriptedFeed();
    const [one, other, mirror] = [new Listener(), new Listener(), new Listener()];
    script.feed.watch(ref('A'), 0, one);
    const line = await script.opened(0);
    script.feed.watch(ref('A'), 0, other);
    script.say(line, 'A');
    script.feed.watch(ref('A'), 1, mirror);
    expect(line.sent).toHaveLength(1);
    expect([one.told, other.told, mirror.told]).toEqual(Array(3).fill(['snapshot initial 1', 'live']));
    expect(mirror.messages[0]).toMatchObject({
      book: { bids: [{ price: '0.4', size: '5' }], asks: [{ price: '0.6', size: '10' }], details: { hash: null } },
    });
  });

  it('tells all who read one outcome by the same object, so that it is written once', async () => {
    const script = new ScriptedFeed();
    const listeners = [new Listener(), new Listener(), new Listener(), new Listener()];
    listeners.forEach((listener, at) => script.feed.watch(ref('A'), at < 2 ? 0 : 1, listener));
    const line = await script.opened(0);
    script.say(line, 'A');
    script.say(line, 'A', '11');
    const [one, other, mirror, otherMirror] = listeners.map(({ messages }) => messages.at(-1));
    expect([one === other, mirror === otherMirror, one === mirror]).toEqual([true, true, false]);
    expect(mirror).toMatchObject({ changes: [{ side: 'asks', price: '0.6', size: '11' }] });
  });

  it('S-61 gives the place of a book that nobody reads to the next one where all are taken', () => {
    const script = new ScriptedFeed();
    const readings = Array.from({ length: 4_000 }, (_, at) => script.feed.watch(ref(`M${at}`), 0, new Listener()));
    expect(() => script.feed.watch(ref('A'), 0, new Listener())).toThrow('as many markets');
    readings[7]?.stop();
    script.feed.watch(ref('A'), 0, new Listener());
    expect([script.feed.has('M7'), script.feed.has('M8'), script.feed.has('A')]).toEqual([false, true, true]);
  });

  it('lets a book go that nobody reads for 30 s, not sooner', async () => {
    const script = new ScriptedFeed();
    const reading = script.feed.watch(ref('A'), 0, new Listener());
    script.feed.watch(ref('B'), 0, new Listener());
    const line = await script.opened(0);
    script.say(line, 'A');
    script.say(line, 'B');
    reading.stop();
    await script.clock.run(29_000);
    script.feed.watch(ref('A'), 0, new Listener()).stop();
    line.events.frame('PONG');
    await script.clock.run(29_000);
    expect([script.feed.has('A'), line.sent.some((frame) => frame.includes('unsubscribe'))]).toEqual([true, false]);
    line.events.frame('PONG');
    await script.clock.run(2_000);
    expect([script.feed.has('A'), script.feed.has('B')]).toEqual([false, true]);
    expect(line.sent.filter((frame) => frame.includes('unsubscribe'))).toHaveLength(1);
  });

  it('watches 4,000 books at most, two for each of 2,000 markets', () => {
    const script = new ScriptedFeed({ isPolled: true });
    for (let at = 0; at < 4_000; at += 1) script.feed.watch(ref(`B${at}`), 0, new Listener());
    expect(() => script.feed.watch(ref('more'), 0, new Listener())).toThrow('as many markets as it can');
    script.feed.watch(ref('B7'), 0, new Listener());
  });

  it('a silent line is dead: its books are stale at once, and whole again on the next', async () => {
    const script = new ScriptedFeed();
    const listener = new Listener();
    script.feed.watch(ref('A'), 0, listener);
    const line = await script.opened(0);
    script.say(line, 'A');
    await script.clock.run(29_000);
    expect([line.hasEnded, listener.told.at(-1)]).toEqual([false, 'live']);
    expect(line.sent.filter((frame) => frame === 'PING')).toHaveLength(2);
    await script.clock.run(1_500);
    expect([line.hasEnded, listener.told.at(-1)]).toEqual([true, 'stale silent']);
    const next = await script.opened(1);
    script.say(next, 'A');
    expect(listener.told.slice(-2)).toEqual(['snapshot resync 2', 'live']);
    line.events.frame('{}');
    expect(listener.told.at(-1)).toBe('live');
  });

  it('who joins a stale book is told that alone', async () => {
    const script = new ScriptedFeed();
    const late = new Listener();
    script.feed.watch(ref('A'), 0, new Listener());
    const line = await script.opened(0);
    line.events.closed(1006, '');
    script.feed.watch(ref('A'), 0, late);
    expect(late.told).toEqual(['stale exchange_disconnected']);
    await script.clock.run(500);
    script.say(await script.opened(1), 'A');
    expect(late.told.slice(1)).toEqual(['snapshot initial 1', 'live']);
  });

  it('tries again soon after a line was lost, and waits where it was refused', async () => {
    const script = new ScriptedFeed();
    script.feed.watch(ref('A'), 0, new Listener());
    (await script.opened(0)).events.closed(1006, '');
    await script.clock.run(300);
    expect(script.lines).toHaveLength(2);
    script.lines[1]?.events.closed(429, '');
    await script.clock.run(29_000);
    expect(script.lines).toHaveLength(2);
    await script.clock.run(1_500);
    expect(script.lines).toHaveLength(3);
  });

  it('a first book that does not come is asked for, then hangs on another line', async () => {
    const script = new ScriptedFeed();
    const [lame, well] = [new Listener(), new Listener()];
    script.feed.watch(ref('A'), 0, lame);
    script.feed.watch(ref('B'), 0, well);
    const line = await script.opened(0);
    script.say(line, 'B');
    await script.clock.run(5_300);
    expect([lame.told, line.sent.length]).toEqual([['stale silent'], 3]);
    await script.clock.run(5_300);
    expect(script.lines).toHaveLength(2);
    script.say(await script.opened(1), 'A');
    expect([lame.told.at(-1), well.told.at(-1)]).toEqual(['live', 'live']);
  });

  it('a resolved market is closed once HTTP says so too', async () => {
    const script = new ScriptedFeed();
    const [listener, late] = [new Listener(), new Listener()];
    script.feed.watch(ref('A'), 0, listener);
    const line = await script.opened(0);
    script.say(line, 'A');
    line.events.closed(1000, 'all subscribed assets resolved');
    await script.clock.run(1_000);
    expect([listener.told.at(-1), script.lines.length]).toEqual(['stale market_resolved', 1]);
    script.standings.set('A', 'market_resolved');
    await script.clock.run(6_000);
    script.feed.watch(ref('A'), 0, late);
    expect([listener.told.at(-1), late.told]).toEqual(['closed market_resolved', ['closed market_resolved']]);
  });

  it('a market that was called resolved and stays open is followed anew', async () => {
    const script = new ScriptedFeed();
    const listener = new Listener();
    script.feed.watch(ref('A'), 0, listener);
    const line = await script.opened(0);
    script.say(line, 'A');
    line.events.closed(1000, 'all subscribed assets resolved');
    script.standings.set('A', 'open');
    await script.clock.run(240_000);
    expect(script.lines).toHaveLength(1);
    await script.clock.run(240_000);
    script.say(await script.opened(1), 'A');
    expect(listener.told.slice(-3)).toEqual(['stale silent', 'snapshot resync 2', 'live']);
  });

  it('carries as many books a line as the exchange bears, and half of them behind an end for slowness', async () => {
    const script = new ScriptedFeed({ booksPerLine: 40 });
    for (let at = 0; at < 40; at += 1) script.feed.watch(ref(`B${at}`), 0, new Listener());
    (await script.opened(0)).events.closed(1013, 'slow consumer: send buffer full');
    await script.clock.run(500);
    expect(script.lines).toHaveLength(3);
    const counts = script.lines.slice(1).map((line) => {
      line.events.opened();
      return (JSON.parse(line.sent[0] ?? '{}') as { assets_ids: string[] }).assets_ids.length;
    });
    expect(counts).toEqual([20, 20]);
    const watchMore = async (from: number, count: number): Promise<number> => {
      for (let at = from; at < from + count; at += 1) script.feed.watch(ref(`B${at}`), 0, new Listener());
      await script.clock.run(500);
      return script.lines.length;
    };
    expect(await watchMore(40, 21)).toBe(5);
    await script.clock.run(3_600_000);
    // An hour later those that stand are filled up.
    const before = script.lines.length;
    expect(await watchMore(61, 40)).toBe(before);
  });
});

import { describe, expect, it } from '@jest/globals';
import { differs, foldBook, foldRow, foldTrade } from '../../dashboard/src/streams/folding.js';
import { ServerEvents } from '../../dashboard/src/streams/server-events.js';
import {
  leftOut,
  type Line,
  linesOf,
  nameOf,
  pauseMs,
  subscriptionsOf,
} from '../../dashboard/src/streams/subscriptions.js';

describe('what the dashboard makes of a stream', () => {
  it('reads messages, ids and pauses, however the text is cut', () => {
    const text =
      'retry: 2000\n\nid: abc\ndata: {"type":"fill","data":"a: b"}\n\n: note\r\ndata:{"type":"heartbeat"}\r\n\r\n';
    for (let size = 1; size <= text.length; size += 1) {
      const events = new ServerEvents();
      const told = [];
      for (let at = 0; at < text.length; at += size) told.push(...events.take(text.slice(at, at + size)));
      expect([told, events.lastId, events.retryMs]).toEqual([
        [{ type: 'fill', data: 'a: b' }, { type: 'heartbeat' }],
        'abc',
        2_000,
      ]);
    }
    expect(new ServerEvents().take('data: {"type":"half"')).toEqual([]);
    expect(() => new ServerEvents().take('data: {"type"\n')).toThrow(SyntaxError);
  });

  it('puts changed levels into a book in the order of their prices, and takes those of no size out', () => {
    const bids = [
      { price: '0.4', size: '5' },
      { price: '0.39', size: '7' },
    ];
    const data = { bids, asks: [{ price: '0.5', size: '1' }], tick_size: '0.01', hash: 'a' };
    const book = foldBook<typeof data>(undefined, { type: 'snapshot', sequence: 7, previous_sequence: null, data });
    const changes = {
      bids: [
        { price: '0.395', size: '2' },
        { price: '0.4', size: '0' },
      ],
      asks: [{ price: '0.45', size: '9' }],
      hash: 'b',
    };
    const update = { type: 'update', sequence: 9, previous_sequence: 7, data: changes };
    const after = foldBook(book ?? undefined, update) ?? undefined;
    expect(after).toEqual({
      sequence: 9,
      data: {
        bids: [
          { price: '0.395', size: '2' },
          { price: '0.39', size: '7' },
        ],
        asks: [
          { price: '0.45', size: '9' },
          { price: '0.5', size: '1' },
        ],
        tick_size: '0.01',
        hash: 'b',
      },
    });
    expect(foldBook(after, update)).toBeNull();
    expect(foldBook(undefined, update)).toBeNull();
  });

  it('keeps rows by their id: replaces, adds in front, takes out what is over', () => {
    const list = {
      pages: [
        { data: [{ id: 'a', at: 1 }], next_cursor: 'x' },
        { data: [{ id: 'b', at: 1 }], next_cursor: null },
      ],
    };
    const rowsOf = ({ pages }: typeof list): unknown[] =>
      pages.flatMap(({ data }) => data.map(({ id, at }) => `${id}${at}`));
    expect(rowsOf(foldRow(list, { id: 'b', at: 2 }))).toEqual(['a1', 'b2']);
    expect(rowsOf(foldRow(list, { id: 'c', at: 2 }))).toEqual(['c2', 'a1', 'b1']);
    expect(rowsOf(foldRow(list, { id: 'a', at: 2 }, false))).toEqual(['b1']);
    expect(foldRow(list, { id: 'c', at: 2 }, false)).toBe(list);
    expect(list.pages[0]?.next_cursor).toBe('x');
  });

  it('knows a list that has what is over, or lacks what is open', () => {
    const list = { pages: [{ data: [{ id: 'a' }, { id: 'b' }] }] };
    expect(differs(list, new Set(['a', 'b']), false)).toBe(false);
    expect(differs(list, new Set(['a', 'b', 'c']), false)).toBe(true);
    expect(differs(list, new Set(['a', 'b', 'c']), true)).toBe(false);
    expect(differs(list, new Set(['a']), true)).toBe(true);
  });

  it('has a trade once, also one that comes again without its id', () => {
    const trade = {
      id: 'a',
      timestamp: '2026-11-28T10:00:00.000Z',
      side: 'buy',
      price: '0.4',
      size: '1',
      outcome: { id: 'y' },
    };
    const again = { ...trade, id: null, timestamp: '2026-11-28T10:00:00Z' };
    const sure = { most: 2, isMaybeKnown: false };
    expect(foldTrade([trade], trade, sure)).toEqual([trade]);
    expect(foldTrade<typeof trade | typeof again>([trade], again, { ...sure, isMaybeKnown: true })).toEqual([trade]);
    expect(foldTrade<typeof trade | typeof again>([trade, trade], again, sure)).toEqual([again, trade]);
  });

  it('asks for each line once, 50 markets each and 20 of them at most, own orders first', () => {
    const of = (channel: Line['channel'], marketId: string | null): Line => ({ exchange: 'one', channel, marketId });
    expect(
      subscriptionsOf([
        of('markets', 'b'),
        of('markets', 'a'),
        of('fills', null),
        of('orders', null),
        of('markets', 'a'),
      ]),
    ).toEqual(['one.orders', 'one.fills', 'one.markets:a,b']);
    const many = Array.from({ length: 1_200 }, (_, index) => of('markets', `M${index}`));
    const texts = subscriptionsOf([...many, of('orders', null)]);
    expect(texts).toHaveLength(20);
    expect(texts[0]).toBe('one.orders');
    expect(Math.max(...texts.slice(1).map((text) => text.split(',').length))).toBe(50);
    const long = Array.from({ length: 300 }, (_, index) => of('markets', `${index}${'x'.repeat(66)}`));
    expect(subscriptionsOf(long).join('').length).toBeLessThan(7_000);
    const left = leftOut([...long, of('orders', null), ...long], subscriptionsOf([...long, of('orders', null)]));
    expect([left.length > 100, left.length < 300]).toEqual([true, true]);
    expect(new Set([...left, ...linesOf(subscriptionsOf([...long, of('orders', null)]))].map(nameOf)).size).toBe(301);
    expect(new Set(left.map(nameOf)).size).toBe(left.length);
    const few = [of('orders', null), of('markets', 'a'), of('markets', 'b')];
    expect(linesOf(subscriptionsOf(few))).toEqual(few);
    expect(leftOut(few, subscriptionsOf(few))).toEqual([]);
  });

  it('comes again after 0.2 s, or as the service asked, then twice as late, after 30 s at the latest', () => {
    expect([0, 1, 2, 20].map((failures) => pauseMs(failures, null, 0))).toEqual([200, 400, 800, 30_000]);
    expect(pauseMs(0, 2_000, 0)).toBe(2_000);
    expect(pauseMs(0, 2_000, 1)).toBe(2_500);
    expect(pauseMs(3, 2_000, 1)).toBe(20_000);
  });
});

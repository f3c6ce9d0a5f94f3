import { describe, expect, it } from '@jest/globals';
import { UpstreamError, type UpstreamResponse } from '../platform/upstream/upstream-client.js';
import { type BatchCall, type BatchItem, OrderBatch, partsByName } from './order-batch.js';

const SIGNER = {};

function answer(status: number, body: unknown): UpstreamResponse {
  return { status, body, retryAfterSeconds: null, receivedAt: new Date() };
}

/** Keeps the names of each call, and answers with them. */
function callOf(sent: string[][], differing: Partial<BatchCall> = {}): BatchCall {
  return {
    ...{ signer: SIGNER, kind: 'all', most: () => 10, pauseMs: 0 },
    send: async (begin) => {
      const items = await begin();
      sent.push(items.map(({ name }) => name));
      return ({ name }) => answer(200, name);
    },
    ...differing,
  };
}

const item = (name: string, beforeSend?: () => Promise<void>): BatchItem => ({ name, body: () => name, beforeSend });
const bodyOf = ({ body }: UpstreamResponse): unknown => body;
/** What has been waited for elsewhere is done by then. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('OrderBatch', () => {
  it('contract.md 5.15 orders leave in one call, in their order, once each is about to be sent or is over', async () => {
    const sent: string[][] = [];
    const batch = new OrderBatch(4);
    const second = batch.seat(1).send(callOf(sent), item('b'));
    batch.leave();
    const third = batch.seat(2).send(callOf(sent), item('c'));
    await settled();
    expect(sent).toEqual([]);
    const first = batch.seat(0).send(callOf(sent), item('a'));
    expect((await Promise.all([first, second, third])).map(bodyOf)).toEqual(['a', 'b', 'c']);
    expect(sent).toEqual([['a', 'b', 'c']]);
  });

  it('contract.md 5.15 the last one that is over lets the others leave', async () => {
    const sent: string[][] = [];
    const batch = new OrderBatch(2);
    const first = batch.seat(0).send(callOf(sent), item('a'));
    batch.leave();
    expect(bodyOf(await first)).toBe('a');
  });

  it('R-13 an order whose own sending does not begin stays behind, and is told why', async () => {
    const sent: string[][] = [];
    const batch = new OrderBatch(2);
    const refused = batch.seat(0).send(
      callOf(sent),
      item('a', () => Promise.reject(new Error('halted'))),
    );
    const other = batch.seat(0).send(callOf(sent), item('b'));
    await expect(refused).rejects.toThrow('halted');
    expect(bodyOf(await other)).toBe('b');
    expect(sent).toEqual([['b']]);
  });

  it('R-13 where no sending begins nothing is sent', async () => {
    const sent: string[][] = [];
    const batch = new OrderBatch(1);
    await expect(
      batch.seat(0).send(
        callOf(sent),
        item('a', () => Promise.reject(new Error('halted'))),
      ),
    ).rejects.toThrow('halted');
    expect(sent).toEqual([]);
  });

  it('contract.md 5.15 orders of other signers and kinds leave in calls of their own; more than fit follow', async () => {
    const sent: string[][] = [];
    const batch = new OrderBatch(5);
    const calls = [callOf(sent, { most: () => 2 }), callOf(sent, { kind: 'other' }), callOf(sent, { signer: {} })];
    const answers = [
      ...['a', 'b', 'c'].map((name, at) => batch.seat(at).send(calls[0] ?? callOf(sent), item(name))),
      batch.seat(3).send(calls[1] ?? callOf(sent), item('d')),
      batch.seat(4).send(calls[2] ?? callOf(sent), item('e')),
    ];
    expect((await Promise.all(answers)).map(bodyOf)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(sent.map((names) => names.join(''))).toEqual(expect.arrayContaining(['ab', 'd', 'e', 'c']));
  });

  it('R-13 an error of the call is that of each of its orders, and of no other', async () => {
    const sent: string[][] = [];
    const lost = new UpstreamError('timeout', true);
    const batch = new OrderBatch(3);
    const failing = callOf(sent, { kind: 'lost', send: (begin) => begin().then(() => Promise.reject(lost)) });
    const both = [batch.seat(0).send(failing, item('a')), batch.seat(0).send(failing, item('b'))];
    const other = batch.seat(0).send(callOf(sent), item('c'));
    expect(await Promise.allSettled(both)).toEqual([
      { status: 'rejected', reason: lost },
      { status: 'rejected', reason: lost },
    ]);
    expect(bodyOf(await other)).toBe('c');
  });

  it('contract.md 5.15 an order that is tried once more waits for the others to be over', async () => {
    const sent: string[][] = [];
    const batch = new OrderBatch(2);
    const first = batch.seat(0).send(
      callOf(sent),
      item('a', () => Promise.reject(new Error('no room'))),
    );
    const second = batch.seat(0).send(callOf(sent), item('b'));
    await expect(first).rejects.toThrow('no room');
    const again = batch.seat(0).send(callOf(sent), item('a'));
    await second;
    await settled();
    expect(sent).toEqual([['b']]);
    batch.leave();
    expect(bodyOf(await again)).toBe('a');
  });
});

describe('partsByName', () => {
  const items = [item('a'), item('b'), item('c')];
  const told = (...parts: (string | null)[]): (string | null)[] => {
    const partOf = partsByName(
      items,
      parts.map((name, at) => ({ name, at })),
      ({ name }) => name,
    );
    return items.map((one) => {
      const part = partOf(one);
      return part === null ? null : `${part.name ?? '-'}${part.at}`;
    });
  };

  it.each<[string, (string | null)[], (string | null)[]]>([
    ['in order', ['a', 'b', 'c'], ['a0', 'b1', 'c2']],
    ['in another order', ['c', 'a', 'b'], ['a1', 'b2', 'c0']],
    ['without names, by place', [null, 'b', null], ['-0', 'b1', '-2']],
    ['without names, a list of another length says nothing', ['b', null], [null, 'b0', null]],
    ['two of one order say nothing of it', ['a', 'a', 'c'], [null, null, 'c2']],
    ['without names, a list in another order says nothing', ['b', null, null], [null, 'b0', null]],
    ['with a name that nobody asked for, by place', ['a', 'x', 'c'], ['a0', 'x1', 'c2']],
    ['none', [], [null, null, null]],
  ])('kalshi.md 5.3 parts %s', (_, parts, expected) => {
    expect(told(...parts)).toEqual(expected);
  });
});

import { describe, expect, it } from '@jest/globals';
import { Callers } from './callers.js';
import { Pause } from './pause.js';
import type { Priority } from './priority.js';
import { SharedReads, type SizedResponse } from './shared-reads.js';
import type { AnySignal } from './stop-signal.js';
import { UpstreamError } from './upstream-client.js';

function answer(status: number, retryAfterSeconds: number | null = null): SizedResponse {
  return { response: { status, body: {}, retryAfterSeconds, receivedAt: new Date() }, size: 2 };
}

/** An upstream that answers when told to. */
class Upstream {
  readonly signals: AnySignal[] = [];
  readonly #answers: ((sized: SizedResponse) => void)[] = [];
  readonly #failures: ((error: Error) => void)[] = [];

  readonly call = (signal: AnySignal): Promise<SizedResponse> => {
    this.signals.push(signal);
    return new Promise((resolve, reject) => {
      this.#answers.push(resolve);
      this.#failures.push(reject);
    });
  };

  answer(index: number, sized = answer(200)): void {
    this.#answers[index]?.(sized);
  }

  fail(index: number, error: Error): void {
    this.#failures[index]?.(error);
  }
}

const CACHED = { fresh: false, signal: undefined, callers: new Callers(undefined), priority: 'read' } as const;
const FRESH = { ...CACHED, fresh: true } as const;
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('SharedReads (contract.md 2)', () => {
  it('merges identical reads in flight, fresh ones too, and no others', async () => {
    const reads = new SharedReads(0);
    const upstream = new Upstream();
    const same = [
      reads.read('a', CACHED, upstream.call),
      reads.read('a', FRESH, upstream.call),
      reads.read('a', CACHED, upstream.call),
    ];
    const other = reads.read('b', CACHED, upstream.call);
    await settle();
    expect(upstream.signals).toHaveLength(2);
    upstream.answer(0);
    upstream.answer(1, answer(404));
    expect(new Set((await Promise.all(same)).map(({ response }) => response)).size).toBe(1);
    expect((await other).response.status).toBe(404);
  });

  it('R-27 joins no less urgent read, but starts one that later readers join', async () => {
    const reads = new SharedReads(0);
    const upstream = new Upstream();
    const read = (priority: Priority): Promise<unknown> => reads.read('a', { ...CACHED, priority }, upstream.call);
    const slow = read('read');
    const joined = [read('order'), read('order'), read('read')];
    const urgent = [read('cancel'), read('order'), read('read')];
    await settle();
    expect(upstream.signals).toHaveLength(3);
    upstream.answer(0);
    await slow;
    joined.push(read('read'));
    upstream.answer(2);
    expect(new Set(await Promise.all([...urgent, joined.pop()])).size).toBe(1);
    upstream.answer(1);
    expect(new Set(await Promise.all(joined)).size).toBe(1);
    expect(upstream.signals).toHaveLength(3);
  });

  it('waits in the turn of all for whom its readers read, now and later (R-27)', async () => {
    const reads = new SharedReads(0);
    const upstream = new Upstream();
    let served: string[] = [];
    const call = (signal: AnySignal, callers: Callers): Promise<SizedResponse> => {
      served = [...callers].map(String);
      callers.onJoin((name) => served.push(String(name)));
      return upstream.call(signal);
    };
    const [ours, others] = [new Callers('ann'), new Callers('cat')];
    const both = [ours, others].map((callers) => reads.read('a', { ...CACHED, callers }, call));
    ours.join('ben');
    await settle();
    others.join('dan');
    expect(served).toEqual(['ann', 'cat', 'ben', 'dan']);
    upstream.answer(0);
    await Promise.all(both);
    ours.join('eve');
    expect(served).toEqual(['ann', 'cat', 'ben', 'dan']);
  });

  it('keeps nothing with a time of 0', async () => {
    const reads = new SharedReads(0);
    const upstream = new Upstream();
    for (let i = 0; i < 2; i++) {
      const read = reads.read('a', CACHED, upstream.call);
      upstream.answer(i);
      await read;
    }
    expect(upstream.signals).toHaveLength(2);
  });

  it('keeps a good answer for its time; a fresh read skips it and renews it', async () => {
    const reads = new SharedReads(500);
    const upstream = new Upstream();
    const first = reads.read('a', CACHED, upstream.call);
    upstream.answer(0);
    await first;
    expect(await reads.read('a', CACHED, upstream.call)).toBe(await first);
    const second = reads.read('a', FRESH, upstream.call);
    upstream.answer(1);
    expect(await second).not.toBe(await first);
    expect(await reads.read('a', CACHED, upstream.call)).toBe(await second);
    await new Promise((resolve) => setTimeout(resolve, 600));
    const third = reads.read('a', CACHED, upstream.call);
    upstream.answer(2);
    await third;
    expect(upstream.signals).toHaveLength(3);
  });

  it.each([404, 429, 500, 503])('keeps no answer with status %d', async (status) => {
    let nowMs = 0;
    const reads = new SharedReads(1_000, new Pause(() => nowMs));
    const upstream = new Upstream();
    for (let i = 0; i < 2; i++) {
      const read = reads.read('a', CACHED, upstream.call);
      upstream.answer(i, answer(status));
      await read;
      nowMs += 2_000;
    }
    expect(upstream.signals).toHaveLength(2);
    reads.clear();
  });

  it('gives a failure to all who wait and asks again for the next', async () => {
    const reads = new SharedReads(1_000);
    const upstream = new Upstream();
    const both = [reads.read('a', CACHED, upstream.call), reads.read('a', CACHED, upstream.call)];
    upstream.fail(0, new Error('broken'));
    expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const next = reads.read('a', CACHED, upstream.call);
    upstream.answer(1);
    expect((await next).response.status).toBe(200);
    reads.clear();
  });

  it('goes on for the others when one caller goes away, and ends with the last (R-16)', async () => {
    const reads = new SharedReads(0);
    const upstream = new Upstream();
    const [one, two] = [new AbortController(), new AbortController()];
    const first = reads.read('a', { ...CACHED, signal: one.signal }, upstream.call);
    const second = reads.read('a', { ...CACHED, signal: two.signal }, upstream.call);
    one.abort();
    await expect(first).rejects.toMatchObject({ failure: 'aborted' });
    expect(upstream.signals[0]?.aborted).toBe(false);
    two.abort();
    await expect(second).rejects.toMatchObject({ failure: 'aborted' });
    expect(upstream.signals[0]?.aborted).toBe(true);
    const third = reads.read('a', CACHED, upstream.call);
    expect(upstream.signals).toHaveLength(2);
    upstream.fail(0, new Error('ended'));
    upstream.answer(1);
    expect((await third).response.status).toBe(200);
    await expect(reads.read('a', { ...CACHED, signal: one.signal }, upstream.call)).rejects.toMatchObject({
      failure: 'aborted',
      sent: false,
    });
  });

  it.each([
    [null, 1],
    [7, 7],
    [100_000, 60],
  ])('makes no call after a 429 with Retry-After %j for %d s, but gives what it has', async (wait, seconds) => {
    let nowMs = 5_000;
    const reads = new SharedReads(60_000, new Pause(() => nowMs));
    const upstream = new Upstream();
    const known = reads.read('known', CACHED, upstream.call);
    upstream.answer(0);
    await known;
    const limited = reads.read('a', CACHED, upstream.call);
    upstream.answer(1, answer(429, wait));
    expect((await limited).response.status).toBe(429);
    const refusal = { failure: 'paused', sent: false, options: { retryAfterSeconds: seconds } };
    await expect(reads.read('b', CACHED, upstream.call)).rejects.toMatchObject(refusal);
    await expect(reads.read('known', FRESH, upstream.call)).rejects.toMatchObject(refusal);
    expect((await reads.read('known', CACHED, upstream.call)).response.status).toBe(200);
    nowMs += seconds * 1_000;
    const later = reads.read('b', CACHED, upstream.call);
    upstream.answer(2);
    expect((await later).response.status).toBe(200);
    reads.clear();
  });

  it('R-27 pauses the user who drew a 429 alone, all once another drew one meanwhile, and nothing that is urgent', async () => {
    let nowMs = 0;
    const reads = new SharedReads(0, new Pause(() => nowMs));
    const read = async (names: (string | undefined)[], priority: Priority, status = 200): Promise<unknown> => {
      const callers = new Callers(names[0]);
      for (const name of names) callers.join(name);
      const call = (): Promise<SizedResponse> => Promise.resolve(answer(status, 10));
      return reads.read(`${nowMs++}`, { ...CACHED, callers, priority }, call).then(
        ({ response }) => response.status,
        (error: unknown) => (error instanceof UpstreamError ? error.failure : error),
      );
    };
    expect(await read(['ann'], 'read', 429)).toBe(429);
    expect(await read(['ann'], 'read')).toBe('paused');
    expect(await read(['ben'], 'read')).toBe(200);
    expect(await read(['ann', 'ben'], 'read')).toBe(200);
    expect(await read([undefined], 'read', 429)).toBe(429);
    expect(await read(['ben'], 'read')).toBe(200);
    for (const priority of ['order', 'cancel'] as const) expect(await read(['ann'], priority)).toBe(200);
    expect(await read(['ann'], 'order', 429)).toBe(429);
    expect(await read(['ben'], 'read')).toBe(200);
    nowMs += 8_000;
    expect(await read(['ann', 'ben'], 'read', 429)).toBe(429);
    for (const name of ['ann', 'ben', 'cleo']) {
      expect(await read([name], 'read')).toBe('paused');
      expect(await read([name], 'order')).toBe(200);
    }
    nowMs += 10_000;
    for (const name of ['ann', 'ben', 'cleo']) expect(await read([name], 'read')).toBe(200);
    expect(await read(['cleo'], 'read', 429)).toBe(429);
    expect(await read(['ann'], 'read')).toBe(200);
  });

  it('keeps at most 1,000 answers and 64 MiB, the oldest go first', async () => {
    const reads = new SharedReads(60_000);
    let calls = 0;
    const read = (key: string, size: number): Promise<unknown> =>
      reads.read(key, CACHED, () => {
        calls++;
        return Promise.resolve({ ...answer(200), size });
      });
    for (let i = 0; i < 1_001; i++) await read(`small ${i}`, 1);
    await read('small 1', 1);
    expect(calls).toBe(1_001);
    await read('small 0', 1);
    expect(calls).toBe(1_002);
    await read('large 1', 40 * 1024 * 1024);
    await read('large 2', 40 * 1024 * 1024);
    await read('large 2', 0);
    expect(calls).toBe(1_004);
    await read('large 1', 0);
    expect(calls).toBe(1_005);
    reads.clear();
  });
});

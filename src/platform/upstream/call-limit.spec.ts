import { afterEach, describe, expect, it } from '@jest/globals';
import { CallLimit } from './call-limit.js';

const limits: CallLimit[] = [];

function limitOf(totalMs: number, caller?: AbortSignal): CallLimit {
  const limit = new CallLimit(totalMs, caller);
  limits.push(limit);
  return limit;
}

const never = new Promise<never>(() => undefined);

afterEach(() => {
  for (const limit of limits.splice(0)) limit.dispose();
});

describe('CallLimit (R-10, R-16)', () => {
  it('ends every wait when the time is up', async () => {
    const limit = limitOf(20);
    const waits = [limit.within(never, true), limit.within(never, false), limit.sleep(5_000)];
    const ended = await Promise.allSettled(waits);
    expect(ended).toMatchObject([
      { reason: { failure: 'timeout', sent: true } },
      { reason: { failure: 'timeout', sent: false } },
      { reason: { failure: 'timeout', sent: false } },
    ]);
  });

  it('ends a wait that begins too late at once', async () => {
    const caller = new AbortController();
    const limit = limitOf(5_000, caller.signal);
    caller.abort();
    await expect(limit.within(never, true)).rejects.toMatchObject({ failure: 'aborted', sent: true });
    expect(() => {
      limit.throwIfOver();
    }).toThrow('aborted');
    expect(() => {
      limitOf(5_000, caller.signal).throwIfOver();
    }).toThrow('aborted');
  });

  it('gives the result of work that ends in time', async () => {
    const limit = limitOf(5_000);
    await expect(limit.within(Promise.resolve(1), true)).resolves.toBe(1);
    await expect(limit.within(Promise.reject(new Error('broken')), true)).rejects.toThrow('broken');
  });

  it('goes on without its caller once that is asked, but not without time', async () => {
    const caller = new AbortController();
    const limit = limitOf(40, caller.signal);
    limit.keepWithoutCaller();
    caller.abort();
    limit.throwIfOver();
    await expect(limit.within(never, true)).rejects.toMatchObject({ failure: 'timeout' });
  });

  it('keeps its first reason', async () => {
    const caller = new AbortController();
    const limit = limitOf(20, caller.signal);
    await expect(limit.sleep(5_000)).rejects.toMatchObject({ failure: 'timeout' });
    caller.abort();
    expect(limit.error(true)).toMatchObject({ failure: 'timeout', sent: true });
  });
});

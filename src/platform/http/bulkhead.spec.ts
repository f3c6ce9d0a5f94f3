import { afterEach, describe, expect, it } from '@jest/globals';
import { Bulkhead } from './bulkhead.js';
import { CallLimit } from './call-limit.js';

const limits: CallLimit[] = [];

function limit(totalMs = 5_000, caller?: AbortSignal): CallLimit {
  const made = new CallLimit(totalMs, caller);
  limits.push(made);
  return made;
}

/** Enters in the background and writes down who got in, or why not. */
function enter(
  bulkhead: Bulkhead,
  name: string,
  log: string[],
  options: { order?: boolean; limit?: CallLimit } = {},
): void {
  const told = bulkhead.enter(options.order === true ? 'order' : 'read', options.limit ?? limit());
  told.then(
    () => log.push(name),
    (error: unknown) => log.push(`${name}: ${error instanceof Error ? error.message : 'unknown'}`),
  );
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

afterEach(() => {
  for (const each of limits.splice(0)) each.dispose();
});

describe('Bulkhead (R-10, R-11)', () => {
  it('lets so many in at once and the next when one leaves', async () => {
    const bulkhead = new Bulkhead(2, 10);
    const log: string[] = [];
    for (const name of ['a', 'b', 'c', 'd']) enter(bulkhead, name, log);
    await settle();
    expect(log).toEqual(['a', 'b']);
    expect([bulkhead.inFlight, bulkhead.waiting]).toEqual([2, 2]);
    bulkhead.leave();
    await settle();
    expect(log).toEqual(['a', 'b', 'c']);
    for (let i = 0; i < 3; i++) bulkhead.leave();
    await settle();
    expect(log).toEqual(['a', 'b', 'c', 'd']);
    expect([bulkhead.inFlight, bulkhead.waiting]).toEqual([0, 0]);
  });

  it('lets orders in before reads, each in their order', async () => {
    const bulkhead = new Bulkhead(1, 10);
    const log: string[] = [];
    enter(bulkhead, 'first', log);
    enter(bulkhead, 'read 1', log);
    enter(bulkhead, 'read 2', log);
    enter(bulkhead, 'order 1', log, { order: true });
    enter(bulkhead, 'order 2', log, { order: true });
    for (let i = 0; i < 5; i++) {
      bulkhead.leave();
      await settle();
    }
    expect(log).toEqual(['first', 'order 1', 'order 2', 'read 1', 'read 2']);
  });

  it('refuses as busy when too many wait; an order takes the place of the last read', async () => {
    const bulkhead = new Bulkhead(1, 2);
    const log: string[] = [];
    for (const name of ['in', 'read 1', 'read 2', 'read 3']) enter(bulkhead, name, log);
    await settle();
    expect(log).toEqual(['in', 'read 3: upstream call failed: busy']);
    for (const name of ['order 1', 'order 2', 'order 3']) {
      enter(bulkhead, name, log, { order: true });
      await settle();
    }
    expect(log.slice(2)).toEqual([
      'read 2: upstream call failed: busy',
      'read 1: upstream call failed: busy',
      'order 3: upstream call failed: busy',
    ]);
    expect(bulkhead.waiting).toBe(2);
  });

  it('ends the wait when the time is up or the caller goes away, and keeps no place for it', async () => {
    const bulkhead = new Bulkhead(1, 10);
    const log: string[] = [];
    const caller = new AbortController();
    enter(bulkhead, 'in', log);
    enter(bulkhead, 'slow', log, { limit: limit(20) });
    enter(bulkhead, 'gone', log, { limit: limit(5_000, caller.signal) });
    enter(bulkhead, 'patient', log);
    caller.abort();
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(log).toEqual(['in', 'gone: upstream call failed: aborted', 'slow: upstream call failed: timeout']);
    expect(bulkhead.waiting).toBe(1);
    bulkhead.leave();
    await settle();
    expect(log.at(-1)).toBe('patient');
    enter(bulkhead, 'late', log, { limit: limit(5_000, caller.signal) });
    await settle();
    expect(log.at(-1)).toBe('late: upstream call failed: aborted');
    expect(bulkhead.inFlight).toBe(1);
  });
});

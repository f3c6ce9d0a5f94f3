import { afterEach, describe, expect, it } from '@jest/globals';
import { Bulkhead } from './bulkhead.js';
import { Callers } from './callers.js';
import { CallLimit } from './call-limit.js';
import type { Priority } from './priority.js';

const limits: CallLimit[] = [];

function limit(totalMs = 5_000, caller?: AbortSignal): CallLimit {
  const made = new CallLimit(totalMs, caller);
  limits.push(made);
  return made;
}

/** Gives places back, in the order they were taken. */
const leaving: (() => void)[] = [];
const leaveOne = (): void => leaving.shift()?.();

interface Entering {
  readonly priority?: Priority;
  readonly limit?: CallLimit;
  readonly callers?: Callers;
}

/** Enters in the background and writes down who got in, or why not. */
function enter(bulkhead: Bulkhead, name: string, log: string[], options: Entering = {}): void {
  const claim = { priority: 'read', limit: limit(), callers: new Callers(undefined), ...options } as const;
  bulkhead.enter(claim).then(
    (leave) => {
      log.push(name);
      leaving.push(leave);
    },
    (error: unknown) => log.push(`${name}: ${error instanceof Error ? error.message : 'unknown'}`),
  );
}

const of = (caller: string, priority: Priority = 'read'): Entering => ({ callers: new Callers(caller), priority });

/** Enters so many times. */
function crowd(bulkhead: Bulkhead, times: number, log: string[], caller: string, priority: Priority = 'read'): void {
  for (let i = 0; i < times; i++) enter(bulkhead, caller, log, of(caller, priority));
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

afterEach(() => {
  for (const each of limits.splice(0)) each.dispose();
  leaving.length = 0;
});

describe('Bulkhead (R-10, R-11)', () => {
  it('lets so many in at once and the next when one leaves', async () => {
    const bulkhead = new Bulkhead(2, 10);
    const log: string[] = [];
    for (const name of ['a', 'b', 'c', 'd']) enter(bulkhead, name, log);
    await settle();
    expect(log).toEqual(['a', 'b']);
    expect([bulkhead.inFlight, bulkhead.waiting]).toEqual([2, 2]);
    leaveOne();
    await settle();
    expect(log).toEqual(['a', 'b', 'c']);
    leaveOne();
    await settle();
    expect(log).toEqual(['a', 'b', 'c', 'd']);
    for (let i = 0; i < 2; i++) leaveOne();
    expect([bulkhead.inFlight, bulkhead.waiting]).toEqual([0, 0]);
  });

  it('lets cancels in before orders and orders before reads, each in their order', async () => {
    const bulkhead = new Bulkhead(1, 10);
    const log: string[] = [];
    enter(bulkhead, 'first', log);
    enter(bulkhead, 'read 1', log);
    enter(bulkhead, 'read 2', log);
    enter(bulkhead, 'order 1', log, { priority: 'order' });
    enter(bulkhead, 'order 2', log, { priority: 'order' });
    enter(bulkhead, 'cancel', log, { priority: 'cancel' });
    await settle();
    for (let i = 0; i < 6; i++) {
      leaveOne();
      await settle();
    }
    expect(log).toEqual(['first', 'cancel', 'order 1', 'order 2', 'read 1', 'read 2']);
  });

  it('refuses as busy when too many wait; an order takes the place of the last read', async () => {
    const bulkhead = new Bulkhead(1, 2);
    const log: string[] = [];
    for (const name of ['in', 'read 1', 'read 2', 'read 3']) enter(bulkhead, name, log);
    await settle();
    expect(log).toEqual(['in', 'read 3: upstream call failed: busy']);
    for (const name of ['order 1', 'order 2', 'order 3']) {
      enter(bulkhead, name, log, { priority: 'order' });
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
    leaveOne();
    await settle();
    expect(log.at(-1)).toBe('patient');
    enter(bulkhead, 'late', log, { limit: limit(5_000, caller.signal) });
    await settle();
    expect(log.at(-1)).toBe('late: upstream call failed: aborted');
    expect(bulkhead.inFlight).toBe(1);
  });
});

describe('R-27 shares', () => {
  it('leave at least half of what is free to who comes, whatever one caller wants', async () => {
    const bulkhead = new Bulkhead(50, 10_000);
    const log: string[] = [];
    const held = async (): Promise<number> => {
      await settle();
      return log.splice(0).length;
    };
    crowd(bulkhead, 200, log, 'ann');
    expect(await held()).toBe(25);
    crowd(bulkhead, 200, log, 'ann', 'order');
    expect(await held()).toBe(9);
    crowd(bulkhead, 200, log, 'ann', 'cancel');
    expect(await held()).toBe(6);
    for (const places of [5, 3, 1, 1, 0]) {
      crowd(bulkhead, 20, log, `with ${places} left ${bulkhead.inFlight}`);
      expect(await held()).toBe(places);
    }
  });

  it('are the same for all who want more, once those who came first have left', async () => {
    const bulkhead = new Bulkhead(50, 1_024);
    const log: string[] = [];
    for (const caller of ['ann', 'ben', 'cleo', 'dora']) crowd(bulkhead, 100, log, caller);
    await settle();
    for (let round = 0; round < 200; round++) {
      leaveOne();
      await settle();
    }
    const inFlight = log.slice(200);
    const places = ['ann', 'ben', 'cleo', 'dora'].map((caller) => inFlight.filter((one) => one === caller).length);
    expect(Math.min(...places)).toBeGreaterThanOrEqual(9);
    expect(Math.max(...places)).toBeLessThanOrEqual(11);
  });

  it('come in turn, whoever waits for more', async () => {
    const bulkhead = new Bulkhead(1, 1_000);
    const log: string[] = [];
    enter(bulkhead, 'first', log);
    crowd(bulkhead, 4, log, 'ann');
    crowd(bulkhead, 2, log, 'ben');
    crowd(bulkhead, 1, log, 'cleo');
    await settle();
    for (let i = 0; i < 8; i++) {
      leaveOne();
      await settle();
    }
    expect(log).toEqual(['first', 'ann', 'ben', 'cleo', 'ann', 'ben', 'ann', 'ann']);
    expect([bulkhead.inFlight, bulkhead.waiting]).toEqual([0, 0]);
  });

  it('are of the room to wait too; a more urgent call takes that of a less urgent one of the same caller', async () => {
    const bulkhead = new Bulkhead(1, 8);
    const log: string[] = [];
    enter(bulkhead, 'first', log);
    const busy = 'ann: upstream call failed: busy';
    crowd(bulkhead, 6, log, 'ann');
    await settle();
    expect(log).toEqual(['first', busy, busy]);
    crowd(bulkhead, 2, log, 'ben');
    crowd(bulkhead, 1, log, 'cleo');
    await settle();
    expect([log.length, bulkhead.waiting]).toEqual([3, 7]);
    crowd(bulkhead, 5, log, 'ann', 'cancel');
    await settle();
    expect(log.slice(3)).toEqual([busy, busy, busy, busy, busy]);
    expect(bulkhead.waiting).toBe(7);
    for (let i = 0; i < 4; i++) {
      leaveOne();
      await settle();
    }
    expect(log.slice(8)).toEqual(['ann', 'ann', 'ann', 'ann']);
  });

  it('when all room is taken an order takes that of the read of who waits for most', async () => {
    const bulkhead = new Bulkhead(1, 4);
    const log: string[] = [];
    enter(bulkhead, 'first', log);
    for (const [caller, times] of [
      ['ann', 2],
      ['ben', 1],
      ['cleo', 1],
    ] as const)
      crowd(bulkhead, times, log, caller);
    crowd(bulkhead, 1, log, 'dora');
    crowd(bulkhead, 1, log, 'dora', 'order');
    await settle();
    expect(log).toEqual(['first', 'dora: upstream call failed: busy', 'ann: upstream call failed: busy']);
    expect(bulkhead.waiting).toBe(4);
  });

  it('of everyone who joined a waiting call can let it in, once', async () => {
    const bulkhead = new Bulkhead(4, 100);
    const log: string[] = [];
    const joined = new Callers('ann');
    crowd(bulkhead, 4, log, 'ann');
    enter(bulkhead, 'joined', log, { callers: joined });
    crowd(bulkhead, 1, log, 'ben');
    await settle();
    expect(log).toEqual(['ann', 'ann', 'ben']);
    joined.join('ben');
    joined.join('cleo');
    await settle();
    expect(log).toEqual(['ann', 'ann', 'ben', 'joined']);
    expect([bulkhead.inFlight, bulkhead.waiting]).toEqual([4, 2]);
    while (leaving.length > 0) {
      leaveOne();
      await settle();
    }
    expect([bulkhead.inFlight, bulkhead.waiting]).toEqual([0, 0]);
  });

  it('are given back once, however often a place is left', async () => {
    const bulkhead = new Bulkhead(2, 10);
    const claim = { priority: 'read', limit: limit(), callers: new Callers('ann') } as const;
    const leave = await bulkhead.enter(claim);
    leave();
    leave();
    expect(bulkhead.inFlight).toBe(0);
  });
});

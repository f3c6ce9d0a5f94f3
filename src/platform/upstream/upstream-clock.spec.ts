import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { UpstreamClock } from './upstream-clock.js';

const HOST = Date.UTC(2026, 10, 20, 15, 0, 0);
const HOUR = 3_600_000;

/** The `Date` header of a server whose clock shows `ms`. */
const dateHeader = (ms: number): string => new Date(ms).toUTCString();

/** Lets `clock` see an answer of a server `skewMs` ahead, stamped at host time `at` in the middle of the round trip. */
function observe(clock: UpstreamClock, skewMs: number, at: number, roundTripMs = 100): void {
  clock.observe(dateHeader(at + skewMs), new Date(at - roundTripMs / 2), new Date(at + roundTripMs / 2));
}

const warn = jest.fn();
const log = jest.fn();

beforeEach(() => {
  warn.mockClear();
  log.mockClear();
  Logger.overrideLogger({ warn, log, error: () => undefined });
});

afterEach(() => {
  Logger.overrideLogger(true);
});

describe('UpstreamClock (contract.md 5, R-17)', () => {
  it('knows nothing before the first answer and then stands on the host clock', () => {
    const clock = new UpstreamClock(() => new Date(HOST));
    expect(clock.skewMs).toBeNull();
    expect(clock.now()).toEqual(new Date(HOST));
  });

  it.each([HOUR, -HOUR, 5_000, -5_000])(
    'follows a clock %d ms off to half a second and half the round trip',
    (skew) => {
      fc.assert(
        fc.property(fc.integer({ min: 0, max: 999 }), fc.integer({ min: 0, max: 1_000 }), (phase, roundTrip) => {
          const clock = new UpstreamClock(() => new Date(HOST + phase));
          observe(clock, skew, HOST + phase, roundTrip);
          expect(Math.abs(Number(clock.skewMs) - skew)).toBeLessThanOrEqual(500 + Math.ceil(roundTrip / 2));
          expect(clock.now().getTime()).toBe(HOST + phase + Number(clock.skewMs));
        }),
      );
    },
  );

  it('leaves a right host clock uncorrected', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999 }), fc.integer({ min: 0, max: 2_000 }), (phase, roundTrip) => {
        const clock = new UpstreamClock();
        observe(clock, 0, HOST + phase, roundTrip);
        expect(clock.skewMs).toBe(0);
      }),
    );
  });

  it('stays as it is while answers agree within what they can know', () => {
    const clock = new UpstreamClock();
    observe(clock, HOUR, HOST + 500);
    const first = clock.skewMs;
    for (let phase = 0; phase < 1_000; phase += 50) observe(clock, HOUR, HOST + 10_000 + phase);
    expect(Math.abs(Number(clock.skewMs) - Number(first))).toBeLessThanOrEqual(550);
    const settled = clock.skewMs;
    for (let phase = 0; phase < 1_000; phase += 50) observe(clock, HOUR, HOST + 20_000 + phase);
    expect(clock.skewMs).toBe(settled);
  });

  it('R-17 believes that a clock was set anew once two answers in a row say so, and tells what the newest says', () => {
    const host = new Date(HOST);
    const clock = new UpstreamClock(() => host);
    observe(clock, HOUR, HOST);
    const believed = clock.skewMs;
    for (const odd of [0, 2 * HOUR, -HOUR]) {
      observe(clock, odd, HOST + 60_000);
      expect(clock.skewMs).toBe(believed);
      expect(Math.abs(clock.told().getTime() - HOST - odd)).toBeLessThanOrEqual(550);
    }
    observe(clock, HOUR, HOST + 61_000);
    expect(clock.told()).toEqual(clock.now());
    observe(clock, 0, HOST + 62_000);
    expect(clock.skewMs).toBe(believed);
    observe(clock, 0, HOST + 63_000);
    expect(Math.abs(Number(clock.skewMs))).toBeLessThanOrEqual(550);
  });

  it.each([null, '', 'yesterday'])('learns nothing from the date %j', (header) => {
    const clock = new UpstreamClock();
    clock.observe(header, new Date(HOST), new Date(HOST));
    expect(clock.skewMs).toBeNull();
  });

  it('warns once of a gap that stays, however its answers come', () => {
    const answers = fc.array(fc.record({ phase: fc.nat(999), roundTrip: fc.nat(10_000) }), {
      minLength: 60,
      maxLength: 60,
    });
    fc.assert(
      fc.property(answers, fc.integer({ min: 20_000, max: HOUR }), (seen, skew) => {
        warn.mockClear();
        const clock = new UpstreamClock();
        seen.forEach(({ phase, roundTrip }, i) => {
          observe(clock, skew, HOST + i * 1_000 + phase, roundTrip);
        });
        expect(warn).toHaveBeenCalledTimes(1);
        expect(log).not.toHaveBeenCalled();
      }),
    );
  });

  it('is refined by an answer that came faster than the first, without a second warning', () => {
    const clock = new UpstreamClock();
    clock.observe(dateHeader(HOST + HOUR), new Date(HOST), new Date(HOST + 9_000));
    observe(clock, HOUR, HOST + 10_500, 0);
    expect(Math.abs(Number(clock.skewMs) - HOUR)).toBeLessThanOrEqual(1_000);
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it('warns once per change of a gap above 2 s, and tells when it is gone', () => {
    const clock = new UpstreamClock(undefined, 'kalshi');
    observe(clock, 1_500, HOST);
    expect(warn).not.toHaveBeenCalled();
    observe(clock, HOUR, HOST);
    observe(clock, HOUR, HOST + 2_500);
    observe(clock, HOUR, HOST + 5_000);
    expect(warn).toHaveBeenCalledTimes(1);
    expect(String(warn.mock.calls[0]?.[0])).toMatch(/kalshi.* ms ahead/);
    observe(clock, -HOUR, HOST + 10_000);
    observe(clock, -HOUR, HOST + 12_000);
    expect(warn).toHaveBeenCalledTimes(2);
    expect(log).not.toHaveBeenCalled();
    observe(clock, 0, HOST + 15_000);
    observe(clock, 0, HOST + 17_000);
    expect(warn).toHaveBeenCalledTimes(2);
    expect(log).toHaveBeenCalledTimes(1);
  });
});

describe('UpstreamClock.synchronise (contract.md 5)', () => {
  it('makes one read for all callers and none once the clock is known', async () => {
    const clock = new UpstreamClock();
    let reads = 0;
    const read = async (): Promise<void> => {
      reads++;
      await new Promise((resolve) => setTimeout(resolve, 10));
      observe(clock, HOUR, HOST);
    };
    await Promise.all(Array.from({ length: 20 }, () => clock.synchronise(read)));
    await clock.synchronise(read);
    expect(reads).toBe(1);
    expect(clock.skewMs).not.toBeNull();
  });

  it('R-17 makes one more read where one answer says that a clock was changed, and goes on where that fails', async () => {
    const clock = new UpstreamClock();
    observe(clock, 0, HOST);
    let reads = 0;
    const reading = (skewMs: number) => (): Promise<void> => {
      reads++;
      if (Number.isNaN(skewMs)) return Promise.reject(new Error('no answer'));
      observe(clock, skewMs, HOST + 2_000);
      return Promise.resolve();
    };
    for (const [skewMs, expected] of [
      [0, 0],
      [NaN, 0],
      [HOUR, HOUR],
    ] as const) {
      observe(clock, HOUR, HOST + 1_000);
      await clock.synchronise(reading(skewMs));
      await clock.synchronise(reading(skewMs));
      expect(Math.abs(Number(clock.skewMs) - expected)).toBeLessThanOrEqual(550);
    }
    expect(reads).toBe(3);
  });

  it('throws what the read throws, stays unknown, and reads again for the next caller', async () => {
    const clock = new UpstreamClock();
    const failing = (): Promise<never> => Promise.reject(new Error('no answer'));
    const both = await Promise.allSettled([clock.synchronise(failing), clock.synchronise(failing)]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(clock.skewMs).toBeNull();
    await clock.synchronise(() => {
      observe(clock, HOUR, HOST);
      return Promise.resolve();
    });
    expect(clock.skewMs).not.toBeNull();
  });

  it('stands on the host clock where an answer tells no time, rather than read again for every call', async () => {
    const clock = new UpstreamClock();
    await clock.synchronise(() => Promise.resolve());
    expect(clock.skewMs).toBe(0);
  });
});

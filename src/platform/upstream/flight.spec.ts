import { describe, expect, it } from '@jest/globals';
import { Callers } from './callers.js';
import { Flight } from './flight.js';
import { type AnySignal, StopSignal } from './stop-signal.js';

/** Work that ends when told to. */
function started(): {
  flight: Flight<string>;
  land: (text: string) => void;
  crash: (error: Error) => void;
  signal: AnySignal;
  callers: Callers;
} {
  const parts: Partial<ReturnType<typeof started>> = {};
  const flight = new Flight<string>('ann', (signal, callers) => {
    Object.assign(parts, { signal, callers });
    return new Promise((land, crash) => Object.assign(parts, { land, crash }));
  });
  return { ...parts, flight } as ReturnType<typeof started>;
}

const reasonOf = (wait: Promise<unknown>): Promise<unknown> =>
  wait.then(
    () => 'none',
    (error: unknown) => error,
  );

describe('Flight (R-16)', () => {
  it('ends one wait with its signal, and the work with the last of them', async () => {
    const { flight, signal } = started();
    const [one, other] = [new StopSignal(), new AbortController()];
    const waits = [flight.join(new Callers('ann'), one), flight.join(new Callers('ben'), other.signal)].map(reasonOf);
    one.abort();
    one.abort();
    expect(await waits[0]).toMatchObject({ failure: 'aborted', sent: true });
    expect([signal.aborted, flight.isAbandoned]).toEqual([false, false]);
    other.abort();
    expect(await waits[1]).toMatchObject({ failure: 'aborted', sent: true });
    expect([signal.aborted, flight.isAbandoned]).toEqual([true, true]);
  });

  it('gives the result to all who still wait, once, and does not end what is over', async () => {
    const { flight, land, signal } = started();
    const gone = new StopSignal();
    const waits = [gone, new StopSignal(), undefined].map((each) => flight.join(new Callers('ann'), each));
    const left = reasonOf(waits[0] ?? Promise.resolve());
    gone.abort();
    land('book');
    expect(await left).toMatchObject({ failure: 'aborted' });
    expect(await Promise.all(waits.slice(1))).toEqual(['book', 'book']);
    expect(signal.aborted).toBe(false);
  });

  it('throws to all what the work throws, and ends at once for one whose signal has aborted before', async () => {
    const { flight, crash, signal } = started();
    const gone = new StopSignal();
    gone.abort();
    const wait = reasonOf(flight.join(new Callers('ann'), undefined));
    expect(await reasonOf(flight.join(new Callers('ben'), gone))).toMatchObject({ failure: 'aborted' });
    const error = new Error('broken');
    crash(error);
    expect(await wait).toBe(error);
    expect(signal.aborted).toBe(false);
  });

  it('makes the work one of all who join, also of those who join them later', () => {
    const { flight, callers, land } = started();
    const joiner = new Callers('ben');
    void flight.join(joiner, undefined);
    joiner.join('cleo');
    expect([...callers]).toEqual(['ann', 'ben', 'cleo']);
    land('book');
  });
});

import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { ReservationLanes } from './reservation-lanes.js';

/** Work that ends where it is told to. */
function aGate(): { readonly ended: Promise<void>; readonly end: () => void } {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { ended, end };
}

describe('reservations of one bot', () => {
  it('run two at a time, in order; 64 wait, and more are refused', async () => {
    const lanes = new ReservationLanes();
    const begun: number[] = [];
    const gates = Array.from({ length: 66 }, aGate);
    const all = gates.map(({ ended }, index) =>
      lanes.run('bot_1', () => {
        begun.push(index);
        return ended;
      }),
    );
    await turn();
    expect(begun).toEqual([0, 1]);
    await expect(lanes.run('bot_1', () => Promise.resolve())).rejects.toMatchObject({ code: 'rate_limited' });
    await expect(lanes.run('bot_2', () => Promise.resolve('of another'))).resolves.toBe('of another');
    gates[1]?.end();
    await turn();
    expect(begun).toEqual([0, 1, 2]);
    for (const { end } of gates) end();
    await Promise.all(all);
    expect(begun).toEqual(gates.map((_, index) => index));
  });

  it('goes on where one fails', async () => {
    const lanes = new ReservationLanes();
    const failing = Array.from({ length: 5 }, () => lanes.run('bot_1', () => Promise.reject(new Error('no'))));
    for (const one of failing) await expect(one).rejects.toThrow('no');
    await expect(lanes.run('bot_1', () => Promise.resolve(1))).resolves.toBe(1);
  });
});

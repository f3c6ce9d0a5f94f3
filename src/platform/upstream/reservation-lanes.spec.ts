import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { StopSignal } from './stop-signal.js';
import { ReservationLanes } from './reservation-lanes.js';

const LONG = { until: performance.now() + 60_000, signal: undefined };

describe('reservations of one bot', () => {
  /** Enters so often, and notes who has entered. */
  const entering = (lanes: ReservationLanes, count: number) => {
    const entered: number[] = [];
    const all = Array.from({ length: count }, async (_, index) => {
      const leave = await lanes.enter('bot_1', LONG);
      entered.push(index);
      return leave;
    });
    return { entered, all };
  };

  it('run two at a time, in order; 64 wait, and more are refused', async () => {
    const lanes = new ReservationLanes(2);
    const { entered, all } = entering(lanes, 66);
    const leave = await all[1];
    expect(entered).toEqual([0, 1]);
    await expect(lanes.enter('bot_1', LONG)).rejects.toMatchObject({ code: 'rate_limited' });
    (await lanes.enter('bot_2', LONG))();
    leave?.();
    leave?.();
    await all[2];
    await Promise.resolve();
    expect(entered).toEqual([0, 1, 2]);
    for (const one of all) (await one)();
    expect(entered).toEqual(all.map((_, index) => index));
    expect(await lanes.enter('bot_1', LONG)).toBeInstanceOf(Function);
  });

  it('drops who waits once its time is over or its client has gone, and keeps their turns for others', async () => {
    const lanes = new ReservationLanes(2);
    const leave = await lanes.enter('bot_1', LONG);
    await lanes.enter('bot_1', LONG);
    const signal = new StopSignal();
    const gone = lanes.enter('bot_1', { until: LONG.until, signal });
    const late = lanes.enter('bot_1', { until: performance.now() + 1, signal: undefined });
    const next = lanes.enter('bot_1', LONG);
    signal.abort();
    await expect(gone).rejects.toMatchObject({ code: 'rate_limited' });
    await expect(late).rejects.toMatchObject({ code: 'rate_limited' });
    await expect(lanes.enter('bot_1', { until: LONG.until, signal })).rejects.toMatchObject({ code: 'rate_limited' });
    leave();
    await expect(Promise.race([next, delay(5_000, 'never')])).resolves.toBeInstanceOf(Function);
  });
});

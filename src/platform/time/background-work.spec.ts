import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { BackgroundWork } from './background-work.js';

class Sweeps extends BackgroundWork {
  begun = 0;
  ended = 0;
  rest: () => Promise<unknown> = () => Promise.resolve();

  constructor() {
    super({ everyMs: 1, firstAfterMs: 0, failure: 'swept later' });
  }

  async run(): Promise<void> {
    this.begun += 1;
    await this.rest();
    this.ended += 1;
  }
}

describe('BackgroundWork', () => {
  const warned: unknown[] = [];
  let sweeps: Sweeps;

  beforeEach(() => {
    warned.length = 0;
    const drop = (): void => undefined;
    const warn = (...words: unknown[]): number => warned.push(words);
    Logger.overrideLogger({ log: drop, error: drop, warn });
    sweeps = new Sweeps();
  });

  afterEach(async () => {
    await sweeps.onModuleDestroy();
    Logger.overrideLogger(true);
  });

  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await delay(1);
  };

  it('logs a round that throws, under the name of the part, and goes on with the next', async () => {
    const fault = new Error('no database');
    sweeps.rest = () => Promise.reject(fault);
    sweeps.onApplicationBootstrap();
    await until(() => sweeps.begun >= 2);
    expect(warned[0]).toEqual([{ err: fault, message: 'swept later' }, 'Sweeps']);
  });

  it('begins no round while one is under way, and ends after that one', async () => {
    let end = (): void => undefined;
    sweeps.rest = () => new Promise<void>((resolve) => (end = resolve));
    sweeps.onApplicationBootstrap();
    await until(() => sweeps.begun === 1);
    await delay(10);
    const stopped = sweeps.onModuleDestroy();
    await delay(5);
    expect([sweeps.begun, sweeps.ended]).toEqual([1, 0]);
    end();
    await stopped;
    expect([sweeps.begun, sweeps.ended]).toEqual([1, 1]);
  });
});

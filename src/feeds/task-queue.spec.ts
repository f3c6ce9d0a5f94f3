import { describe, expect, it } from '@jest/globals';
import { TaskQueue } from './task-queue.js';

describe('TaskQueue', () => {
  it('drops what waits where that is too much, and does the newest all the same', async () => {
    const done: number[] = [];
    const tasks = new TaskQueue(() => undefined);
    let goOn = (): void => undefined;
    tasks.add(() => new Promise((resolve) => (goOn = resolve)));
    const add = (at: number): boolean =>
      tasks.add(() => {
        done.push(at);
        return Promise.resolve();
      });
    const taken = Array.from({ length: 2_002 }, (_, at) => add(at));
    expect(taken.lastIndexOf(false)).toBe(2_000);
    goOn();
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(done).toEqual([2_000, 2_001]);
  });
});

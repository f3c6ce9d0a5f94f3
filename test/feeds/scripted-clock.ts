import type { FeedClock } from '../../src/feeds/feed-parts.js';

interface Task {
  readonly atMs: number;
  readonly order: number;
  readonly work: () => void;
}

/** Time that stands still between the tasks that are due: hours pass in milliseconds. */
export class ScriptedClock implements FeedClock {
  #now = Date.UTC(2026, 10, 27);
  #order = 0;
  #tasks: Task[] = [];

  readonly now = (): number => this.#now;

  readonly after = (ms: number, work: () => void): (() => void) => {
    const task = { atMs: this.#now + ms, order: (this.#order += 1), work };
    const at = this.#tasks.findLastIndex((other) => other.atMs <= task.atMs);
    this.#tasks.splice(at + 1, 0, task);
    return () => {
      this.#tasks = this.#tasks.filter((other) => other !== task);
    };
  };

  /** Does something again and again from now on. */
  every(ms: number, work: () => void): void {
    this.after(ms, () => {
      work();
      this.every(ms, work);
    });
  }

  async wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(ms, resolve);
    });
  }

  /** Does all that is due within `ms`, each in its turn, with what promises make of it. */
  async run(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (let task = this.#tasks[0]; task !== undefined && task.atMs <= end; task = this.#tasks[0]) {
      this.#tasks.shift();
      this.#now = task.atMs;
      task.work();
      for (let turn = 0; turn < 8; turn += 1) await Promise.resolve();
    }
    this.#now = end;
  }
}

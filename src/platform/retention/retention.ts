import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Periodic } from '../time/periodic.js';

const EVERY_MS = 60_000;
const FIRST_SPREAD_MS = 30_000;
const BATCH = 500;
const MAX_BATCHES = 20;

/** Removes at most `limit` rows that nobody needs any more; returns how many it removed. */
export type RetentionTask = (limit: number) => Promise<number>;

/** Keeps tables from growing for ever: every minute, in small batches, one task after another. */
@Injectable()
export class Retention implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #logger = new Logger('Retention');
  readonly #tasks = new Map<string, RetentionTask>();
  readonly #rounds = new Periodic(EVERY_MS, () => this.run());

  /** Features register what is theirs at start. */
  register(name: string, task: RetentionTask): void {
    this.#tasks.set(name, task);
  }

  onApplicationBootstrap(): void {
    this.#rounds.start(Math.random() * FIRST_SPREAD_MS);
  }

  async onModuleDestroy(): Promise<void> {
    await this.#rounds.stop();
  }

  /** Does all tasks once. */
  async run(): Promise<void> {
    for (const [name, task] of this.#tasks) await this.#finish(name, task);
  }

  async #finish(name: string, task: RetentionTask): Promise<void> {
    try {
      for (let batch = 0; batch < MAX_BATCHES && !this.#rounds.hasStopped; batch += 1) {
        if ((await task(BATCH)) < BATCH) return;
      }
    } catch (error) {
      this.#logger.warn({ err: error, task: name, message: 'A retention task failed and is tried again later' });
    }
  }
}

import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';

const EVERY_MS = 60_000;
const FIRST_SPREAD_MS = 30_000;
const BATCH = 500;
const MAX_BATCHES = 20;

/** Removes at most so many rows that nobody needs any more, and says how many it removed. */
export type Chore = (limit: number) => Promise<number>;

/** Keeps tables from growing for ever: every minute, in small batches, one chore after another. */
@Injectable()
export class Housekeeping implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #logger = new Logger('Housekeeping');
  readonly #chores = new Map<string, Chore>();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #hasStopped = false;

  /** Features register what is theirs at start. */
  register(name: string, chore: Chore): void {
    this.#chores.set(name, chore);
  }

  onApplicationBootstrap(): void {
    this.#schedule(Math.random() * FIRST_SPREAD_MS);
  }

  async onModuleDestroy(): Promise<void> {
    this.#hasStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  /** Does all chores once. */
  async run(): Promise<void> {
    for (const [name, chore] of this.#chores) await this.#finish(name, chore);
  }

  #schedule(afterMs: number): void {
    if (this.#hasStopped) return;
    this.#timer = setTimeout(() => {
      this.#running = this.run().finally(() => {
        this.#schedule(EVERY_MS);
      });
    }, afterMs).unref();
  }

  async #finish(name: string, chore: Chore): Promise<void> {
    try {
      for (let batch = 0; batch < MAX_BATCHES && !this.#hasStopped; batch += 1) {
        if ((await chore(BATCH)) < BATCH) return;
      }
    } catch (error) {
      this.#logger.warn({ err: error, chore: name, message: 'A chore failed and is tried again later' });
    }
  }
}

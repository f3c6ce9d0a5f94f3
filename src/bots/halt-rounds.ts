import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Periodic } from '../platform/time/periodic.js';
import { BotHalts } from './bot-halts.js';

const EVERY_MS = 1_000;
/** Users whose bots one instance works on at the same time: an exchange that hangs delays nobody else. */
const AT_ONCE = 16;

/** Goes on with halts that are not complete, and cancels what rests of bots that missed their beat (contract.md 5.13). */
@Injectable()
export class HaltRounds implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #logger = new Logger('HaltRounds');
  readonly #running = new Set<Promise<void>>();
  readonly #rounds = new Periodic(
    EVERY_MS,
    () => this.run(),
    (error) => {
      this.#warn(error);
    },
  );

  constructor(private readonly halts: BotHalts) {}

  onApplicationBootstrap(): void {
    this.#rounds.start(0);
  }

  async onModuleDestroy(): Promise<void> {
    await this.#rounds.stop();
    await Promise.all(this.#running);
  }

  /** Begins with all that are due, and waits for none. */
  async run(): Promise<void> {
    const free = AT_ONCE - this.#running.size;
    if (free <= 0) return;
    for (const [userId, botIds] of await this.halts.takeDue(free)) this.#begin(userId, botIds);
  }

  #begin(userId: string, botIds: readonly string[]): void {
    const work = this.halts
      .goOn(userId, botIds)
      .catch((error: unknown) => {
        this.#warn(error);
      })
      .finally(() => this.#running.delete(work));
    this.#running.add(work);
  }

  #warn(error: unknown): void {
    this.#logger.warn({ err: error, message: 'orders of halted bots could not be cancelled, and are later' });
  }
}

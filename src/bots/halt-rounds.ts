import { Injectable } from '@nestjs/common';
import { BackgroundWork } from '../platform/time/background-work.js';
import { BotHalts } from './bot-halts.js';

const EVERY_MS = 1_000;
/** Users whose bots one instance works on at the same time: an exchange that hangs delays nobody else. */
const AT_ONCE = 16;
const FAILURE = 'orders of halted bots could not be cancelled, and are later';

/** Goes on with halts that are not complete, and cancels what rests of bots that missed their beat (contract.md 5.13). */
@Injectable()
export class HaltRounds extends BackgroundWork {
  readonly #running = new Set<Promise<void>>();

  constructor(private readonly halts: BotHalts) {
    super({ everyMs: EVERY_MS, firstAfterMs: 0, failure: FAILURE });
  }

  override async onModuleDestroy(): Promise<void> {
    await super.onModuleDestroy();
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
        this.logger.warn({ err: error, message: FAILURE });
      })
      .finally(() => this.#running.delete(work));
    this.#running.add(work);
  }
}

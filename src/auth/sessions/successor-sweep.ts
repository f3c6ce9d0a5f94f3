import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { SessionsRepository } from './sessions.repository.js';

const EVERY_MS = 10_000;

/** Sealed successors are kept for the grace window only; this drops them soon after it (S-22). */
@Injectable()
export class SuccessorSweep implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #logger = new Logger('Sessions');
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  constructor(private readonly sessions: SessionsRepository) {}

  onApplicationBootstrap(): void {
    this.#timer = setInterval(() => {
      this.#running = this.sessions.forgetSuccessors().catch((error: unknown) => {
        this.#logger.warn({ err: error, message: 'Sealed refresh tokens are dropped later' });
      });
    }, EVERY_MS).unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }
}

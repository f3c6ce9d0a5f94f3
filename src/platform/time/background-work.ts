import { Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Periodic } from './periodic.js';

interface Rounds {
  readonly everyMs: number;
  /** By default as long as between two rounds. */
  readonly firstAfterMs?: number;
  /** What is logged where a round throws. */
  readonly failure: string;
}

/**
 * A part of the service that works in the background, from its start to its end: never twice at once, a round that throws is logged and the
 * next goes on, and the end of the service waits for the round that is under way.
 */
export abstract class BackgroundWork implements OnApplicationBootstrap, OnModuleDestroy {
  protected readonly logger = new Logger(this.constructor.name);
  readonly #rounds: Periodic;
  readonly #firstAfterMs: number | undefined;

  constructor({ everyMs, firstAfterMs, failure: message }: Rounds) {
    this.#firstAfterMs = firstAfterMs;
    this.#rounds = new Periodic(
      everyMs,
      () => this.run(),
      (error) => {
        this.logger.warn({ err: error, message });
      },
    );
  }

  /** For long work: it ends early then. */
  protected get hasStopped(): boolean {
    return this.#rounds.hasStopped;
  }

  onApplicationBootstrap(): void {
    this.#rounds.start(this.#firstAfterMs);
  }

  async onModuleDestroy(): Promise<void> {
    await this.#rounds.stop();
  }

  /** Does one round. */
  abstract run(): Promise<void>;
}

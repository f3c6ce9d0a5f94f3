import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Periodic } from '../platform/time/periodic.js';
import { ApiKeysRepository } from './api-keys.repository.js';

const FLUSH_EVERY_MS = 15_000;

/** Collects when keys were used and writes it in batches, never on the request path; exact to 60 s (contract.md 6, R-20). */
@Injectable()
export class ApiKeyUsage implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #logger = new Logger('ApiKeyUsage');
  readonly #flushes = new Periodic(FLUSH_EVERY_MS, () => this.flush());
  #uses = new Map<string, Date>();

  constructor(private readonly repository: ApiKeysRepository) {}

  onApplicationBootstrap(): void {
    this.#flushes.start();
  }

  /** After the last request has been answered: `onModuleDestroy` comes before the server stops accepting. */
  async onApplicationShutdown(): Promise<void> {
    await this.#flushes.stop();
    await this.flush();
  }

  /** Notes a use; `hash` is the key's SHA-256 in hex. */
  note(hash: string): void {
    this.#uses.set(hash, new Date());
  }

  /** Writes what was noted; what could not be written is kept for the next time. */
  async flush(): Promise<void> {
    if (this.#uses.size === 0) return;
    const uses = this.#uses;
    this.#uses = new Map();
    try {
      await this.repository.markUsed(uses);
    } catch (error) {
      this.#uses = new Map([...uses, ...this.#uses]);
      this.#logger.warn({ err: error, message: 'last uses of API keys could not be written yet' });
    }
  }
}

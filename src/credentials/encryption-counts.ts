import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { CryptoService } from '../platform/crypto/crypto.service.js';
import { Periodic } from '../platform/time/periodic.js';
import { EncryptionCountsRepository } from './encryption-counts.repository.js';

const EVERY_MS = 10_000;

/**
 * Keeps how often each key has sealed, every 10 s and at the end (S-38). A process that is killed loses the count since the last write,
 * which is small beside 2^32.
 */
@Injectable()
export class EncryptionCounts implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  readonly #logger = new Logger('EncryptionCounts');
  readonly #flushes = new Periodic(EVERY_MS, () => this.flush());

  constructor(
    private readonly crypto: CryptoService,
    private readonly counts: EncryptionCountsRepository,
  ) {}

  onApplicationBootstrap(): void {
    this.#flushes.start();
  }

  /** While the database is surely there. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.#flushes.stop();
    await this.flush();
  }

  /** What the last requests sealed. */
  async onApplicationShutdown(): Promise<void> {
    await this.flush();
  }

  /** Keeps what was sealed since the last time; where that fails, it is kept later. */
  async flush(): Promise<void> {
    const taken = this.crypto.takeSealed();
    for (const [index, [keyId, times]] of taken.entries()) {
      try {
        await this.counts.add(keyId, times);
      } catch (error) {
        this.crypto.putBackSealed(taken.slice(index));
        this.#logger.warn({ err: error, message: 'The count of encryptions is kept later' });
        return;
      }
    }
  }
}

import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Periodic } from '../../platform/time/periodic.js';
import { Reservations } from '../placing/reservations.repository.js';
import { OrderProofs } from './order-proofs.js';

const EVERY_MS = 5_000;
/** Users and exchanges that are read at the same time, by one instance. */
const LANES = 8;

/** Looks, every 5 s, at orders of bots of which something is not proved, so that room comes back although nobody asks (contract.md 5.12). */
@Injectable()
export class ProofRounds implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #logger = new Logger('ProofRounds');
  readonly #rounds = new Periodic(
    EVERY_MS,
    () => this.run(),
    (error) => {
      this.#logger.warn({ err: error, message: 'orders of bots could not be looked at, and are later' });
    },
  );

  constructor(
    private readonly reservations: Reservations,
    private readonly proofs: OrderProofs,
  ) {}

  onApplicationBootstrap(): void {
    this.#rounds.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.#rounds.stop();
  }

  /** Looks at all that are due. */
  async run(): Promise<void> {
    while (!this.#rounds.hasStopped) {
      const due = await this.reservations.takeDue(LANES);
      if (due.length === 0) return;
      await Promise.all(due.map(({ userId, exchange }) => this.proofs.read(userId, exchange)));
    }
  }
}

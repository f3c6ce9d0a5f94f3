import { Injectable } from '@nestjs/common';
import { BackgroundWork } from '../../platform/time/background-work.js';
import { Proofs } from '../placing/proofs.repository.js';
import { OrderProofs } from './order-proofs.js';

const EVERY_MS = 5_000;
/** Users and exchanges that are read at the same time, by one instance. */
const LANES = 8;

/** Looks, every 5 s, at orders of bots of which something is not proved, so that room comes back although nobody asks (contract.md 5.12). */
@Injectable()
export class ProofRounds extends BackgroundWork {
  constructor(
    private readonly proved: Proofs,
    private readonly proofs: OrderProofs,
  ) {
    super({ everyMs: EVERY_MS, failure: 'orders of bots could not be looked at, and are later' });
  }

  /** Looks at all that are due. Ends where others look at them. */
  async run(): Promise<void> {
    while (!this.hasStopped) {
      const due = await this.proved.listDue(LANES);
      const taken = await Promise.all(due.map(({ userId, exchange }) => this.proofs.readDue(userId, exchange)));
      if (taken.every((count) => count === 0)) return;
    }
  }
}

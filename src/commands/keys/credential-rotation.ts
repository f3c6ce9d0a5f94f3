import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { CryptoService } from '../../platform/crypto/crypto.service.js';
import { CredentialKeys } from '../../credentials/credential-keys.js';
import { CredentialVault } from '../../credentials/credential-vault.js';
import { KeyRowsRepository } from './key-rows.repository.js';

const BATCH = 100;
/** Rows that are written meanwhile need another pass; after this many, an instance still seals under an old key. */
const MAX_PASSES = 20;
const BETWEEN_PASSES_MS = 200;

/** The progress of a rotation, in rows. */
export interface RotationProgress {
  readonly keyId: string;
  readonly done: number;
  readonly total: number;
}

/**
 * Seals every stored field anew under the first key of `ENCRYPTION_KEYS`, while the service is serving (S-38). Each row is
 * one statement under a check of its version, so that a write that comes between wins, and a rotation that is killed leaves
 * whole rows behind: the next one goes on with those that are left.
 *
 * Nothing else that is sealed needs it: the successors of refresh tokens are of use for 10 s (S-22).
 */
@Injectable()
export class CredentialRotation {
  constructor(
    private readonly keys: CredentialKeys,
    private readonly rows: KeyRowsRepository,
    private readonly vault: CredentialVault,
    private readonly crypto: CryptoService,
  ) {}

  /** Ends when every row has the first key. Throws, with the reason, where a key is missing or wrong, or rows are left. */
  async run(report: (progress: RotationProgress) => void): Promise<void> {
    await this.keys.verify();
    await this.vault.registerSealingKey();
    for (let pass = 0; pass < MAX_PASSES; pass += 1) {
      const broken = await this.#pass(report);
      const { done, total } = await this.#report(report);
      if (done === total) return;
      if (done + broken >= total) {
        throw new Error(`${broken} rows do not open and stay as they are: npm run keys:check names them`);
      }
      await delay(BETWEEN_PASSES_MS);
    }
    throw new Error(
      'Rows are still being written under another key: restart every instance with this ENCRYPTION_KEYS, then run this again',
    );
  }

  /** Reseals once all rows that are not under the first key; returns how many of them do not open. */
  async #pass(report: (progress: RotationProgress) => void): Promise<number> {
    let broken = 0;
    for await (const rows of this.rows.batches(BATCH, this.crypto.sealingKeyId)) {
      for (const row of rows) {
        if (this.vault.opens(row)) await this.rows.reseal(row.table, this.vault.reseal(row));
        else broken += 1;
      }
      await this.#report(report);
    }
    return broken;
  }

  async #report(report: (progress: RotationProgress) => void): Promise<RotationProgress> {
    const keyId = this.crypto.sealingKeyId;
    const progress = { keyId, ...(await this.rows.countUnder(keyId)) };
    report(progress);
    return progress;
  }
}

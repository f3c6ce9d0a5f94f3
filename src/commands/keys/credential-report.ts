import { Injectable } from '@nestjs/common';
import { CredentialKeys } from '../../credentials/credential-keys.js';
import { CredentialVault } from '../../credentials/credential-vault.js';
import type { CredentialId } from '../../credentials/sealed-rows.repository.js';
import { KeyRowsRepository } from './key-rows.repository.js';

const BATCH = 200;
/** The most rows that are named for each key as not opening. */
const MAX_NAMED = 20;

/** The rows under one key. */
export interface KeyReport {
  readonly keyId: string;
  readonly rows: number;
  readonly broken: number;
  /** User and exchange of rows that do not open, at most 20. */
  readonly named: readonly CredentialId[];
  readonly fault: 'missing' | 'wrong' | null;
}

/** Opens every stored row and keeps nothing of it: the report of `keys:check` (S-38). */
@Injectable()
export class CredentialReport {
  constructor(
    private readonly keys: CredentialKeys,
    private readonly rows: KeyRowsRepository,
    private readonly vault: CredentialVault,
  ) {}

  /** One entry a key id that rows have, in the order of the ids, and one for every wrong key. */
  async make(): Promise<KeyReport[]> {
    const [missing, wrong] = [await this.keys.listMissing(), await this.keys.listWrong()];
    const counts = await this.#count();
    const ids = [...new Set([...counts.keys(), ...wrong])].sort();
    return ids.map((keyId) => {
      const { rows, broken } = counts.get(keyId) ?? { rows: 0, broken: [] };
      const fault = missing.includes(keyId) ? 'missing' : wrong.includes(keyId) ? 'wrong' : null;
      return { keyId, rows, broken: broken.length, named: broken.slice(0, MAX_NAMED), fault };
    });
  }

  async #count(): Promise<Map<string, { rows: number; broken: CredentialId[] }>> {
    const counts = new Map<string, { rows: number; broken: CredentialId[] }>();
    for await (const batch of this.rows.batches(BATCH)) {
      for (const row of batch) {
        const { rows, broken } = counts.get(row.keyId) ?? { rows: 0, broken: [] };
        if (!this.vault.opens(row)) broken.push({ userId: row.userId, exchange: row.exchange });
        counts.set(row.keyId, { rows: rows + 1, broken });
      }
    }
    return counts;
  }
}

import { Injectable } from '@nestjs/common';
import { CryptoService } from '../platform/crypto/crypto.service.js';
import { CredentialVault } from './credential-vault.js';
import { EncryptionKeysRepository } from './encryption-keys.repository.js';
import { SealedRowsRepository } from './sealed-rows.repository.js';

/** How many rows must fail to open before a key counts as wrong: single ones may be damaged. */
const ROWS_TRIED = 20;

/** Whether `ENCRYPTION_KEYS` holds the keys that this database was written with (S-38). */
@Injectable()
export class CredentialKeys {
  constructor(
    private readonly rows: SealedRowsRepository,
    private readonly known: EncryptionKeysRepository,
    private readonly vault: CredentialVault,
    private readonly crypto: CryptoService,
  ) {}

  /** Throws where a key is missing, or is another one than rows are sealed under. Names ids, never keys. */
  async verify(): Promise<void> {
    const missing = await this.listMissing();
    if (missing.length > 0) {
      throw new Error(`ENCRYPTION_KEYS must hold the keys that stored credentials need: ${missing.join(', ')}`);
    }
    const wrong = await this.listWrong();
    if (wrong.length > 0) {
      throw new Error(
        `ENCRYPTION_KEYS must hold the same key as before under the id ${wrong.join(', ')}: ` +
          'put the right key back, or give the new one an id of its own',
      );
    }
    await this.#recordUsed();
  }

  /** Ids that stored rows need and `ENCRYPTION_KEYS` does not have. */
  async listMissing(): Promise<string[]> {
    const used = await this.rows.listKeyIds();
    return used.filter((id) => !this.crypto.keyIds.includes(id));
  }

  /** Ids under which `ENCRYPTION_KEYS` has another key than this database was written with. */
  async listWrong(): Promise<string[]> {
    const wrong: string[] = [];
    for (const id of this.crypto.keyIds) {
      const known = await this.known.find(id);
      const isWrong = known === null ? await this.#opensNothing(id) : !this.crypto.checkValue(id).equals(known);
      if (isWrong) wrong.push(id);
    }
    return wrong;
  }

  /** Records the check values of keys of older rows, which have none yet, once such rows have opened. */
  async #recordUsed(): Promise<void> {
    for (const id of await this.rows.listKeyIds()) {
      if ((await this.known.find(id)) === null) await this.known.add(id, this.crypto.checkValue(id));
    }
  }

  /** Whether a key without a check value is wrong: there are rows sealed under its id, and none of them opens. */
  async #opensNothing(keyId: string): Promise<boolean> {
    const rows = await this.rows.listUnder(keyId, ROWS_TRIED);
    return rows.length > 0 && rows.every((row) => !this.vault.opens(row));
  }
}

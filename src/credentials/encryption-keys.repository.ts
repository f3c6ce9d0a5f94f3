import { Injectable } from '@nestjs/common';
import { Transactions } from '../platform/database/transactions.js';

/**
 * The check value of every key that something was sealed under; kept for ever, as an id means one key (S-38). A key of
 * `ENCRYPTION_KEYS` that has sealed nothing yet has none.
 */
@Injectable()
export class EncryptionKeysRepository {
  constructor(private readonly transactions: Transactions) {}

  async find(keyId: string): Promise<Buffer | null> {
    const rows = await this.transactions.manager.query<{ check_value: Buffer }[]>(
      'SELECT check_value FROM encryption_keys WHERE key_id = $1',
      [keyId],
    );
    return rows[0]?.check_value ?? null;
  }

  /** Returns the value that is stored then: of two instances at once the first one's. */
  async add(keyId: string, checkValue: Buffer): Promise<Buffer> {
    await this.transactions.manager.query(
      'INSERT INTO encryption_keys (key_id, check_value) VALUES ($1, $2) ON CONFLICT (key_id) DO NOTHING',
      [keyId, checkValue],
    );
    return (await this.find(keyId)) ?? checkValue;
  }
}

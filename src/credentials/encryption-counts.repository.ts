import { Injectable } from '@nestjs/common';
import { Transactions } from '../platform/database/transactions.js';

/** How often each key has sealed, for ever: a key may do so 2^32 times (S-38). */
@Injectable()
export class EncryptionCountsRepository {
  constructor(private readonly transactions: Transactions) {}

  /** Adds to the count of a key. */
  async add(keyId: string, times: number): Promise<void> {
    await this.transactions.manager.query(
      `INSERT INTO encryption_counts AS known (key_id, encryptions) VALUES ($1, $2)
       ON CONFLICT (key_id) DO UPDATE SET encryptions = known.encryptions + EXCLUDED.encryptions`,
      [keyId, times],
    );
  }
}

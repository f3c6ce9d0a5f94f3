import { Injectable } from '@nestjs/common';
import { Transactions } from '../platform/database/transactions.js';
import { CredentialEntity } from './credential.entity.js';

const ALL_COLUMNS = {
  userId: true,
  exchange: true,
  rowVersion: true,
  keyId: true,
  fields: true,
  createdAt: true,
  updatedAt: true,
} as const;

@Injectable()
export class CredentialsRepository {
  constructor(private readonly transactions: Transactions) {}

  /** A version that no row has had or will have (S-36). */
  async nextVersion(): Promise<string> {
    const rows = await this.transactions.manager.query<{ version: string }[]>(
      `SELECT nextval('exchange_credentials_version')::text AS version`,
    );
    return rows[0]?.version ?? '0';
  }

  find(userId: string, exchange: string): Promise<CredentialEntity | null> {
    return this.transactions.manager.findOne(CredentialEntity, { where: { userId, exchange }, select: ALL_COLUMNS });
  }

  list(userId: string): Promise<CredentialEntity[]> {
    return this.transactions.manager.find(CredentialEntity, { where: { userId }, select: ALL_COLUMNS });
  }

  /** Stores or overwrites; of two writes at once the one with the later version stays. */
  async replace(row: Omit<CredentialEntity, 'createdAt'>): Promise<void> {
    await this.transactions.manager.query(
      `INSERT INTO exchange_credentials AS c (user_id, exchange, row_version, key_id, fields, created_at, updated_at)
       VALUES ($1, $2, $3, $4, $5, $6, $6)
       ON CONFLICT (user_id, exchange) DO UPDATE
         SET row_version = EXCLUDED.row_version, key_id = EXCLUDED.key_id, fields = EXCLUDED.fields,
             updated_at = EXCLUDED.updated_at
       WHERE c.row_version < EXCLUDED.row_version`,
      [row.userId, row.exchange, row.rowVersion, row.keyId, JSON.stringify(row.fields), row.updatedAt],
    );
  }

  /** Says for which exchanges there were some. */
  async removeAll(userId: string): Promise<string[]> {
    const [rows] = await this.transactions.manager.query<[{ exchange: string }[], number]>(
      'DELETE FROM exchange_credentials WHERE user_id = $1 RETURNING exchange',
      [userId],
    );
    return rows.map(({ exchange }) => exchange).sort();
  }

  /** Ids of all keys that stored rows are sealed under. */
  async listKeyIds(): Promise<string[]> {
    const rows = await this.transactions.manager.query<{ key_id: string }[]>(
      `SELECT DISTINCT key_id FROM exchange_credentials ORDER BY key_id`,
    );
    return rows.map(({ key_id }) => key_id);
  }

  /** Whether there was something to remove. */
  async remove(userId: string, exchange: string): Promise<boolean> {
    const { affected } = await this.transactions.manager.delete(CredentialEntity, { userId, exchange });
    return affected === 1;
  }
}

import { Injectable } from '@nestjs/common';
import { Transactions } from '../platform/database/transactions.js';
import { CredentialEntity } from './credential.entity.js';

const ALL_COLUMNS = {
  userId: true,
  exchange: true,
  rowVersion: true,
  keyId: true,
  fields: true,
  facts: true,
  createdAt: true,
  updatedAt: true,
} as const;

/** What `PUT /account/credentials/{exchange}` stored (S-32). */
@Injectable()
export class CredentialsRepository {
  constructor(private readonly transactions: Transactions) {}

  /** A version that no row with sealed fields, of any table, has had or will have (S-36). */
  async nextVersion(): Promise<string> {
    const rows = await this.transactions.manager.query<{ version: string }[]>(
      `SELECT nextval('exchange_credentials_version')::text AS version`,
    );
    return rows[0]?.version ?? '0';
  }

  find(userId: string, exchange: string): Promise<CredentialEntity | null> {
    return this.transactions.manager.findOne(CredentialEntity, { where: { userId, exchange }, select: ALL_COLUMNS });
  }

  /** Stores or overwrites; of two writes at once the one with the later version stays. */
  async replace(row: Omit<CredentialEntity, 'createdAt'>): Promise<void> {
    await this.transactions.manager.query(
      `INSERT INTO exchange_credentials AS c (user_id, exchange, row_version, key_id, fields, facts, created_at, updated_at)
       VALUES ($1, $2, $3, $4, $5, $7, $6, $6)
       ON CONFLICT (user_id, exchange) DO UPDATE
         SET row_version = EXCLUDED.row_version, key_id = EXCLUDED.key_id, fields = EXCLUDED.fields,
             facts = EXCLUDED.facts, updated_at = EXCLUDED.updated_at
       WHERE c.row_version < EXCLUDED.row_version`,
      [
        row.userId,
        row.exchange,
        row.rowVersion,
        row.keyId,
        JSON.stringify(row.fields),
        row.updatedAt,
        row.facts === null ? null : JSON.stringify(row.facts),
      ],
    );
  }
}

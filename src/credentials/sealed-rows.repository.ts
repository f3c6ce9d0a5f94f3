import { Injectable } from '@nestjs/common';
import { Transactions } from '../platform/database/transactions.js';

/** What every row with sealed fields has: each field sealed by itself, as text by `Sealed.toText` (S-36). */
export interface SealedRow {
  readonly userId: string;
  readonly exchange: string;
  /** Never repeats, in any table; bound into every field. */
  readonly rowVersion: string;
  readonly keyId: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** Whose row it is, and for which exchange. */
export type CredentialId = Pick<SealedRow, 'userId' | 'exchange'>;

const COLUMNS = `user_id AS "userId", exchange, row_version AS "rowVersion", key_id AS "keyId", fields`;

/** The rows with sealed fields of all tables: what the checks of keys need of them (S-38). */
@Injectable()
export class SealedRowsRepository {
  constructor(private readonly transactions: Transactions) {}

  /** Ids of all keys that rows are sealed under. */
  async listKeyIds(): Promise<string[]> {
    const rows = await this.transactions.manager.query<{ key_id: string }[]>(
      `SELECT key_id FROM exchange_credentials UNION SELECT key_id FROM session_keys ORDER BY key_id`,
    );
    return rows.map(({ key_id }) => key_id);
  }

  /** Some rows under one key, at most `limit` of each table. */
  listUnder(keyId: string, limit: number): Promise<SealedRow[]> {
    return this.transactions.manager.query<SealedRow[]>(
      `(SELECT ${COLUMNS} FROM exchange_credentials WHERE key_id = $1 LIMIT $2)
       UNION ALL (SELECT ${COLUMNS} FROM session_keys WHERE key_id = $1 LIMIT $2)`,
      [keyId, limit],
    );
  }
}

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

type BatchRow = SealedRow & { readonly part: string };

/** Selects rows that are not wholly under the key that is the parameter of this number. */
function notUnder(parameter: number): string {
  return `(key_id <> $${parameter} OR EXISTS
    (SELECT FROM jsonb_each_text(fields) AS field WHERE split_part(field.value, '.', 1) <> $${parameter}))`;
}

/** One table of rows with sealed fields: what checks and changes of keys need of it (S-38). */
@Injectable()
export abstract class SealedRowsRepository {
  protected abstract readonly table: 'exchange_credentials' | 'session_keys';
  /** What tells rows of one user and exchange apart, as SQL. */
  protected readonly part: `''::text` | 'state' = `''::text`;

  constructor(protected readonly transactions: Transactions) {}

  /** A version that no row of any of these tables has had or will have (S-36). */
  async nextVersion(): Promise<string> {
    const rows = await this.transactions.manager.query<{ version: string }[]>(
      `SELECT nextval('exchange_credentials_version')::text AS version`,
    );
    return rows[0]?.version ?? '0';
  }

  /** Ids of all keys that rows are sealed under. */
  async listKeyIds(): Promise<string[]> {
    const rows = await this.transactions.manager.query<{ key_id: string }[]>(
      `SELECT DISTINCT key_id FROM ${this.table} ORDER BY key_id`,
    );
    return rows.map(({ key_id }) => key_id);
  }

  /** Some rows under one key. */
  listUnder(keyId: string, limit: number): Promise<SealedRow[]> {
    return this.transactions.manager.query<SealedRow[]>(
      // eslint-disable-next-line own/constant-sql -- columns and conditions that stand in this file
      `SELECT ${this.#columns()} FROM ${this.table} WHERE key_id = $1 LIMIT $2`,
      [keyId, limit],
    );
  }

  /** All rows in batches of at most `limit`; with `notUnderKey` only those of which something is not under this key. */
  async *batches(limit: number, notUnderKey?: string): AsyncGenerator<SealedRow[]> {
    const [filter, values] = notUnderKey === undefined ? ['', []] : [`AND ${notUnder(5)}`, [notUnderKey]];
    let after: Pick<BatchRow, 'userId' | 'exchange' | 'part'> | undefined = { userId: '', exchange: '', part: '' };
    while (after !== undefined) {
      const rows: BatchRow[] = await this.transactions.manager.query(
        // eslint-disable-next-line own/constant-sql -- columns and conditions that stand in this file
        `SELECT ${this.#columns()} FROM ${this.table} WHERE (user_id, exchange, ${this.part}) > ($1, $2, $3) ${filter}
          ORDER BY user_id, exchange, part LIMIT $4`,
        [after.userId, after.exchange, after.part, limit, ...values],
      );
      after = rows.at(-1);
      if (after !== undefined) yield rows;
    }
  }

  /** How many rows there are, and of how many everything is under this key. */
  async countUnder(keyId: string): Promise<{ done: number; total: number }> {
    const rows = await this.transactions.manager.query<{ done: number; total: number }[]>(
      `SELECT (count(*) FILTER (WHERE NOT ${notUnder(1)}))::integer AS done, count(*)::integer AS total
         FROM ${this.table}`,
      [keyId],
    );
    return rows[0] ?? { done: 0, total: 0 };
  }

  /** Writes the new seal where the row is still of the version that was read; a row that has changed stays (S-38). */
  async reseal({ userId, exchange, rowVersion, keyId, fields }: SealedRow): Promise<void> {
    await this.transactions.manager.query(
      `UPDATE ${this.table} SET key_id = $4, fields = $5
        WHERE user_id = $1 AND exchange = $2 AND row_version = $3`,
      [userId, exchange, rowVersion, keyId, JSON.stringify(fields)],
    );
  }

  #columns(): string {
    return `user_id AS "userId", exchange, ${this.part} AS part, row_version AS "rowVersion", key_id AS "keyId", fields`;
  }
}

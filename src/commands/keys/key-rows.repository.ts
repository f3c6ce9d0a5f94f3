import { Injectable } from '@nestjs/common';
import type { SealedRow } from '../../credentials/sealed-rows.repository.js';
import { Transactions } from '../../platform/database/transactions.js';

/** The tables with sealed fields, each with what tells rows of one user and exchange apart, as SQL. */
const TABLES = [
  { table: 'exchange_credentials', part: `''::text` },
  { table: 'session_keys', part: 'state' },
] as const;

export type SealedTable = (typeof TABLES)[number]['table'];

/** A row of one of the tables. */
interface KeyRow extends SealedRow {
  readonly table: SealedTable;
  readonly part: string;
}

/** Selects rows that are not wholly under the key that is the parameter of this number. */
function notUnder(parameter: number): string {
  return `(key_id <> $${parameter} OR EXISTS
    (SELECT FROM jsonb_each_text(fields) AS field WHERE split_part(field.value, '.', 1) <> $${parameter}))`;
}

/** Goes through all rows with sealed fields, and writes them with another seal (S-38). */
@Injectable()
export class KeyRowsRepository {
  constructor(private readonly transactions: Transactions) {}

  /** All rows in batches of at most `limit`; with `notUnderKey` only those of which something is not under this key. */
  async *batches(limit: number, notUnderKey?: string): AsyncGenerator<readonly KeyRow[]> {
    const [filter, values] = notUnderKey === undefined ? ['', []] : [`AND ${notUnder(5)}`, [notUnderKey]];
    for (const { table, part } of TABLES) {
      let after: Pick<KeyRow, 'userId' | 'exchange' | 'part'> | undefined = { userId: '', exchange: '', part: '' };
      while (after !== undefined) {
        const rows: KeyRow[] = await this.transactions.manager.query(
          // eslint-disable-next-line own/constant-sql -- tables and conditions that stand in this file
          `SELECT '${table}' AS "table", user_id AS "userId", exchange, ${part} AS part, row_version AS "rowVersion",
                  key_id AS "keyId", fields
             FROM ${table} WHERE (user_id, exchange, ${part}) > ($1, $2, $3) ${filter}
            ORDER BY user_id, exchange, part LIMIT $4`,
          [after.userId, after.exchange, after.part, limit, ...values],
        );
        after = rows.at(-1);
        if (after !== undefined) yield rows;
      }
    }
  }

  /** How many rows there are, and of how many everything is under this key. */
  async countUnder(keyId: string): Promise<{ done: number; total: number }> {
    const rows = await this.transactions.manager.query<{ done: number; total: number }[]>(
      `SELECT (count(*) FILTER (WHERE NOT ${notUnder(1)}))::integer AS done, count(*)::integer AS total
         FROM (SELECT key_id, fields FROM exchange_credentials UNION ALL SELECT key_id, fields FROM session_keys) AS row`,
      [keyId],
    );
    return rows[0] ?? { done: 0, total: 0 };
  }

  /** Writes the new seal where the row is still of the version that was read; a row that has changed stays (S-38). */
  async reseal(table: SealedTable, { userId, exchange, rowVersion, keyId, fields }: SealedRow): Promise<void> {
    await this.transactions.manager.query(
      `UPDATE ${table} SET key_id = $4, fields = $5
        WHERE user_id = $1 AND exchange = $2 AND row_version = $3`,
      [userId, exchange, rowVersion, keyId, JSON.stringify(fields)],
    );
  }
}

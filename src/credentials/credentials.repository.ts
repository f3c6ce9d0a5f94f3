import { Injectable } from '@nestjs/common';
import type { CredentialFacts } from '../exchanges/exchange.js';
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

/** The same as above, for raw queries. */
const ALL_AS_ENTITY = `user_id AS "userId", exchange, row_version AS "rowVersion", key_id AS "keyId", fields, facts,
  created_at AS "createdAt", updated_at AS "updatedAt"`;

/** Selects rows that are not wholly under the key that is the parameter of this number. */
function notUnder(parameter: number): string {
  return `(key_id <> $${parameter} OR EXISTS
    (SELECT FROM jsonb_each_text(fields) AS field WHERE split_part(field.value, '.', 1) <> $${parameter}))`;
}

/** What a new seal changes, and where. */
export type SealedRow = Pick<CredentialEntity, 'userId' | 'exchange' | 'rowVersion' | 'keyId' | 'fields'>;

/** Identifies one row; batches follow its order. */
export type CredentialId = Pick<CredentialEntity, 'userId' | 'exchange'>;

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

  /** Keeps newer facts of the credentials that they were read with; of others, stored meanwhile, they say nothing. */
  async replaceFacts(
    { userId, exchange, rowVersion }: Pick<CredentialEntity, 'userId' | 'exchange' | 'rowVersion'>,
    facts: CredentialFacts,
  ): Promise<void> {
    await this.transactions.manager.query(
      `UPDATE exchange_credentials SET facts = $4 WHERE user_id = $1 AND exchange = $2 AND row_version = $3`,
      [userId, exchange, rowVersion, JSON.stringify(facts)],
    );
  }

  /** Returns the exchanges that had some. */
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

  /** Some rows under one key. */
  listUnder(keyId: string, limit: number): Promise<CredentialEntity[]> {
    return this.transactions.manager.find(CredentialEntity, { where: { keyId }, select: ALL_COLUMNS, take: limit });
  }

  /** All rows in batches of at most `limit`; with `notUnderKey` only those of which something is not under this key. */
  async *batches(limit: number, notUnderKey?: string): AsyncGenerator<CredentialEntity[]> {
    const [filter, values] = notUnderKey === undefined ? ['', []] : [`AND ${notUnder(4)}`, [notUnderKey]];
    let after: CredentialId | undefined = { userId: '', exchange: '' };
    while (after !== undefined) {
      const rows: CredentialEntity[] = await this.transactions.manager.query(
        `SELECT ${ALL_AS_ENTITY} FROM exchange_credentials WHERE (user_id, exchange) > ($1, $2) ${filter}
          ORDER BY user_id, exchange LIMIT $3`,
        [after.userId, after.exchange, limit, ...values],
      );
      after = rows.at(-1);
      if (after !== undefined) yield rows;
    }
  }

  /** How many rows there are, and of how many everything is under this key. */
  async countUnder(keyId: string): Promise<{ done: number; total: number }> {
    const rows = await this.transactions.manager.query<{ done: number; total: number }[]>(
      `SELECT (count(*) FILTER (WHERE NOT ${notUnder(1)}))::integer AS done, count(*)::integer AS total
         FROM exchange_credentials`,
      [keyId],
    );
    return rows[0] ?? { done: 0, total: 0 };
  }

  /** Writes the new seal where the row is still of the version that was read; a row that has changed stays (S-38). */
  async reseal({ userId, exchange, rowVersion, keyId, fields }: SealedRow): Promise<void> {
    await this.transactions.manager.query(
      `UPDATE exchange_credentials SET key_id = $4, fields = $5
        WHERE user_id = $1 AND exchange = $2 AND row_version = $3`,
      [userId, exchange, rowVersion, keyId, JSON.stringify(fields)],
    );
  }

  /** Whether there was something to remove. */
  async remove(userId: string, exchange: string): Promise<boolean> {
    const { affected } = await this.transactions.manager.delete(CredentialEntity, { userId, exchange });
    return affected === 1;
  }
}

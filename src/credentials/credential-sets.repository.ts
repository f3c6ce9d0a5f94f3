import { Injectable } from '@nestjs/common';
import type { CredentialFacts } from '../exchanges/credentials.contract.js';
import { prepared } from '../platform/database/prepared-statements.js';
import { Transactions } from '../platform/database/transactions.js';
import type { SealedRow } from './sealed-rows.repository.js';
import type { SessionKeyRow } from './session-keys.repository.js';

/** What `PUT` stored, as it is read beside session keys. */
export interface StoredRow extends SealedRow {
  readonly state: 'stored';
  /** What the exchange said of them when they were stored or verified last; `parseFacts` reads it. */
  readonly facts: unknown;
}

/** All that a user has for one exchange, as it was at one moment. */
export interface CredentialSets {
  readonly stored: StoredRow | null;
  readonly active: SessionKeyRow | null;
  readonly pending: SessionKeyRow | null;
}

/** A session key that was removed. */
export type RemovedKey = Pick<SessionKeyRow, 'exchange' | 'state' | 'address'>;

/** What was removed for one exchange; session keys with the active one first. */
export interface RemovedSets {
  readonly exchange: string;
  readonly hadStored: boolean;
  readonly sessionKeys: readonly RemovedKey[];
}

/** Which version of what signs a user has for one exchange: another text after every change. */
export interface CredentialVersion {
  readonly userId: string;
  readonly exchange: string;
  readonly version: string;
}

type SetRow = Omit<SessionKeyRow, 'state'> & { readonly state: SessionKeyRow['state'] | 'stored' };

const SEALED = `user_id AS "userId", exchange, row_version AS "rowVersion", key_id AS "keyId", fields, facts`;

const WANTED = `user_id = $1 AND ($2::text IS NULL OR exchange = $2)`;

/** Reads the sets of one exchange or of all. One statement reads both tables, so that no change comes between. */
const ALL_SETS = prepared(`
  SELECT 'stored' AS state, ${SEALED}, '' AS address, '' AS "walletAddress", NULL::timestamptz AS "validUntil",
         created_at AS "createdAt", NULL::timestamptz AS "activatedAt", NULL::timestamptz AS "refusedAt"
    FROM exchange_credentials WHERE ${WANTED}
  UNION ALL
  SELECT state, ${SEALED}, address, wallet_address, valid_until, created_at, activated_at, refused_at
    FROM session_keys WHERE ${WANTED}`);

/**
 * Whether the user has something to sign with: an active session key, or the fields that `PUT` stored, unless only a
 * session key can sign.
 */
export function canSign({ active, stored }: CredentialSets, needsSessionKey: boolean): boolean {
  return active !== null || (stored !== null && !needsSessionKey);
}

function setsOf(rows: readonly SetRow[]): CredentialSets {
  const keyIn = (state: SessionKeyRow['state']): SessionKeyRow | null => {
    const row = rows.find((candidate) => candidate.state === state);
    return row === undefined ? null : { ...row, state };
  };
  const stored = rows.find(({ state }) => state === 'stored');
  return {
    stored: stored === undefined ? null : { ...stored, state: 'stored' },
    active: keyIn('active'),
    pending: keyIn('pending'),
  };
}

/** Reads and removes what users have stored for exchanges, over both tables: the fields of `PUT` and session keys. */
@Injectable()
export class CredentialSetsRepository {
  constructor(private readonly transactions: Transactions) {}

  async find(userId: string, exchange: string): Promise<CredentialSets> {
    return setsOf(await this.#read(userId, exchange));
  }

  /** Returns what is stored, by exchange; leaves out exchanges without anything. */
  async list(userId: string): Promise<ReadonlyMap<string, CredentialSets>> {
    const rows = await this.#read(userId, null);
    const exchanges = new Set(rows.map(({ exchange }) => exchange));
    return new Map([...exchanges].map((id) => [id, setsOf(rows.filter(({ exchange }) => exchange === id))]));
  }

  /** Returns which version of what signs each of these users has, by user and exchange. */
  async versions(userIds: readonly string[]): Promise<readonly CredentialVersion[]> {
    return this.transactions.manager.query<CredentialVersion[]>(
      `SELECT "userId", exchange, string_agg(row_version::text, '/' ORDER BY state) AS version
         FROM (SELECT user_id AS "userId", exchange, row_version, 'stored' AS state FROM exchange_credentials WHERE user_id = ANY($1)
               UNION ALL
               SELECT user_id, exchange, row_version, state FROM session_keys WHERE user_id = ANY($1) AND state = 'active') AS sets
        GROUP BY "userId", exchange`,
      [userIds],
    );
  }

  /**
   * Stores newer facts with the row whose credentials they were read by. A row that was stored meanwhile stays as it
   * is, since the facts say nothing about it.
   */
  async replaceFacts(
    { state, userId, exchange, rowVersion }: StoredRow | SessionKeyRow,
    facts: CredentialFacts,
  ): Promise<void> {
    const table = state === 'stored' ? 'exchange_credentials' : 'session_keys';
    await this.transactions.manager.query(
      `UPDATE ${table} SET facts = $4 WHERE user_id = $1 AND exchange = $2 AND row_version = $3`,
      [userId, exchange, rowVersion, JSON.stringify(facts)],
    );
  }

  /** Removes what `PUT` stored for one exchange, or for all; returns the exchanges that had something. */
  async removeStored(userId: string, exchange: string | null): Promise<string[]> {
    const { rows } = await this.transactions.modify<{ exchange: string }>(
      `DELETE FROM exchange_credentials WHERE user_id = $1 AND ($2::text IS NULL OR exchange = $2) RETURNING exchange`,
      [userId, exchange],
    );
    return rows.map((row) => row.exchange);
  }

  /** Removes the session keys of one exchange, or of all; returns them, active ones first. */
  async removeSessionKeys(userId: string, exchange: string | null): Promise<RemovedKey[]> {
    const { rows } = await this.transactions.modify<RemovedKey>(
      `DELETE FROM session_keys WHERE user_id = $1 AND ($2::text IS NULL OR exchange = $2)
       RETURNING exchange, state, address`,
      [userId, exchange],
    );
    return rows.sort((one, other) => one.state.localeCompare(other.state));
  }

  /** Removes this very pending key; false where it is gone, or is another one by now. */
  async removePending({ userId, exchange, rowVersion }: SessionKeyRow): Promise<boolean> {
    const { count } = await this.transactions.modify(
      `DELETE FROM session_keys WHERE user_id = $1 AND exchange = $2 AND state = 'pending' AND row_version = $3`,
      [userId, exchange, rowVersion],
    );
    return count === 1;
  }

  /** Removes all that a user has, for one exchange or for all; returns the exchanges that there was something for. */
  async removeAll(userId: string, exchange: string | null): Promise<RemovedSets[]> {
    const stored = await this.removeStored(userId, exchange);
    const sessionKeys = await this.removeSessionKeys(userId, exchange);
    const exchanges = new Set([...stored, ...sessionKeys.map((row) => row.exchange)]);
    return [...exchanges].sort().map((id) => ({
      exchange: id,
      hadStored: stored.includes(id),
      sessionKeys: sessionKeys.filter((row) => row.exchange === id),
    }));
  }

  #read(userId: string, exchange: string | null): Promise<SetRow[]> {
    return this.transactions.manager.query<SetRow[]>(ALL_SETS, [userId, exchange]);
  }
}

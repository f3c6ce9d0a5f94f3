import { Injectable } from '@nestjs/common';
import { Transactions } from '../platform/database/transactions.js';
import type { CredentialId, SealedRow } from './sealed-rows.repository.js';

/**
 * A stored session key: the private half is sealed in `fields`, with its API credentials once it is active (contract.md 5.9,
 * S-36).
 */
export interface SessionKeyRow extends SealedRow {
  readonly state: 'pending' | 'active';
  readonly address: string;
  readonly walletAddress: string;
  readonly validUntil: Date | null;
  readonly createdAt: Date;
  /** Null while it is pending. */
  readonly activatedAt: Date | null;
  /** When the exchange refused it; null where it did not. */
  readonly refusedAt: Date | null;
  /** As in `exchange_credentials`. */
  readonly facts: unknown;
}

/** A key that ends soon, so that its owner needs a mail. */
export interface EndingKey extends CredentialId {
  readonly address: string;
  readonly validUntil: Date;
  /** Where mails to the owner go. */
  readonly email: string;
}

/** How many days before the end of an active key the mail that is due now belongs to: 2 or 14. */
const DUE_DAYS = `CASE WHEN key.valid_until <= now() + interval '2 days' THEN 2 ELSE 14 END`;

/** Session keys of users. */
@Injectable()
export class SessionKeysRepository {
  constructor(private readonly transactions: Transactions) {}

  /** Stores a key in place of the key with the same state. Of two concurrent writes the one with the later version stays. */
  async replace(row: Omit<SessionKeyRow, 'refusedAt'>): Promise<void> {
    await this.transactions.manager.query(
      `INSERT INTO session_keys AS k (user_id, exchange, state, row_version, key_id, fields, address, wallet_address,
         valid_until, created_at, activated_at, facts)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
       ON CONFLICT (user_id, exchange, state) DO UPDATE
         SET row_version = EXCLUDED.row_version, key_id = EXCLUDED.key_id, fields = EXCLUDED.fields,
             address = EXCLUDED.address, wallet_address = EXCLUDED.wallet_address, valid_until = EXCLUDED.valid_until,
             created_at = EXCLUDED.created_at, activated_at = EXCLUDED.activated_at, facts = EXCLUDED.facts,
             refused_at = NULL, reminded_days = NULL
       WHERE k.row_version < EXCLUDED.row_version`,
      [
        row.userId,
        row.exchange,
        row.state,
        row.rowVersion,
        row.keyId,
        JSON.stringify(row.fields),
        row.address,
        row.walletAddress,
        row.validUntil,
        row.createdAt,
        row.activatedAt,
        row.facts === null ? null : JSON.stringify(row.facts),
      ],
    );
  }

  /** Keeps whether the exchange refuses this very active key. */
  async setRefused({ userId, exchange, rowVersion }: SealedRow, isRefused: boolean): Promise<void> {
    await this.transactions.manager.query(
      `UPDATE session_keys SET refused_at = CASE WHEN $4 THEN COALESCE(refused_at, now()) END
        WHERE user_id = $1 AND exchange = $2 AND state = 'active' AND row_version = $3`,
      [userId, exchange, rowVersion, isRefused],
    );
  }

  /**
   * Returns one key whose owner needs a mail now, 14 or 2 days before its end, and marks the key as reminded; null where
   * there is none. Looks at the keys of all users or of one. Two callers at once never get the same key. Write the mail
   * in the same transaction.
   */
  async claimEnding(userId: string | null = null): Promise<EndingKey | null> {
    const { rows } = await this.transactions.modify<EndingKey>(
      `WITH due AS (
         SELECT key.user_id, key.exchange, ${DUE_DAYS} AS days, account.email
           FROM session_keys key JOIN users account ON account.id = key.user_id
          WHERE key.state = 'active' AND key.refused_at IS NULL
            AND key.valid_until > now() AND key.valid_until <= now() + interval '14 days'
            AND (key.reminded_days IS NULL OR key.reminded_days > ${DUE_DAYS})
            AND account.email_verified_at IS NOT NULL AND account.disabled_at IS NULL
            AND ($1::text IS NULL OR key.user_id = $1)
          ORDER BY key.valid_until LIMIT 1 FOR UPDATE OF key SKIP LOCKED)
       UPDATE session_keys k SET reminded_days = due.days FROM due
        WHERE k.user_id = due.user_id AND k.exchange = due.exchange AND k.state = 'active'
       RETURNING k.user_id AS "userId", k.exchange, k.address, k.valid_until AS "validUntil", due.email`,
      [userId],
    );
    return rows[0] ?? null;
  }
}

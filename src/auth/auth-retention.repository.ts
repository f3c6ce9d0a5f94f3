import { Injectable } from '@nestjs/common';
import { Transactions } from '../platform/database/transactions.js';
import { DurableLimits } from '../platform/limits/durable-limits.repository.js';
import { Retention } from '../platform/retention/retention.js';

/** Rotations are many and small. */
const ROTATIONS_FACTOR = 20;

/**
 * Which rows nobody needs, by table: spent refresh tokens are known for a day, ended sessions stay 30 days, sign-ups
 * that nobody verified 7 days, devices as long as they count (S-21, S-25). Removed are `factor` times as many at once.
 */
const OVER: Readonly<Record<string, { readonly key: string; readonly condition: string; readonly factor?: number }>> = {
  refresh_rotations: {
    key: 'parent_hash',
    condition: `rotated_at < now() - interval '1 day'`,
    factor: ROTATIONS_FACTOR,
  },
  sessions: {
    key: 'id',
    condition: `expires_at < now() - interval '1 day' OR revoked_at < now() - interval '30 days'`,
  },
  account_tokens: { key: 'token_hash', condition: `expires_at < now() - interval '1 day'` },
  pending_signups: { key: 'id', condition: `created_at < now() - interval '7 days'` },
  known_devices: { key: '(user_id, network, device)', condition: `last_login_at < now() - interval '400 days'` },
};

/** Removes rows about accounts that nobody needs any more. */
@Injectable()
export class AuthRetentionRepository {
  constructor(
    private readonly transactions: Transactions,
    retention: Retention,
    limits: DurableLimits,
  ) {
    for (const [table, { key, condition, factor = 1 }] of Object.entries(OVER)) {
      retention.register(table, (limit) => this.#remove(table, key, condition, limit * factor));
    }
    retention.register('rate_limits', (limit) => limits.removeExpired(limit));
  }

  /** At most `limit` rows; returns how many. */
  async #remove(table: string, key: string, condition: string, limit: number): Promise<number> {
    const { count } = await this.transactions.modify(
      // eslint-disable-next-line own/constant-sql -- the texts of the list above
      `DELETE FROM ${table} WHERE ${key} IN
         (SELECT ${key.replace(/[()]/g, '')} FROM ${table} WHERE ${condition} LIMIT $1 FOR UPDATE SKIP LOCKED)`,
      [limit],
    );
    return count;
  }
}

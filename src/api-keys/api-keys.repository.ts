import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import type { ApiKeyPrincipal } from '../access/principal.js';
import { Transactions } from '../platform/database/transactions.js';
import { isUniqueViolation } from '../platform/database/database-errors.js';
import { ApiKeyEntity } from './api-key.entity.js';

/** What a presented key turns out to be: whose it is, and whether it was `revoked`, remembered for 90 days (contract.md 4). */
export interface ApiKeyFacts extends ApiKeyPrincipal {
  readonly revoked: boolean;
}

@Injectable()
export class ApiKeysRepository {
  constructor(private readonly transactions: Transactions) {}

  /** Stores a key; false where the user has a live one already, by the unique index (S-29). */
  async insert(key: ApiKeyEntity): Promise<boolean> {
    try {
      await this.transactions.manager.insert(ApiKeyEntity, key);
      return true;
    } catch (error) {
      if (isUniqueViolation(error, 'api_keys_one_live_per_user')) return false;
      throw error;
    }
  }

  listLive(userId: string): Promise<ApiKeyEntity[]> {
    return this.transactions.manager.find(ApiKeyEntity, { where: { userId, revokedAt: IsNull() } });
  }

  /** Revokes a live key of this user by its exact prefix; false where there is none (S-29, S-32). */
  async revoke(userId: string, prefix: string, at: Date): Promise<boolean> {
    const where = { userId, prefix, revokedAt: IsNull() };
    const { affected } = await this.transactions.manager.update(ApiKeyEntity, where, { revokedAt: at });
    return affected === 1;
  }

  /** Revokes the user's live key, if any; returns its prefix, or null where there was none. */
  async revokeAny(userId: string, at: Date): Promise<string | null> {
    const [live] = await this.listLive(userId);
    if (live === undefined) return null;
    return (await this.revoke(userId, live.prefix, at)) ? live.prefix : null;
  }

  /** By SHA-256 through the primary key, as one raw query, since every API call asks (contract.md 6, S-28). */
  async findByHash(hash: Buffer): Promise<ApiKeyFacts | null> {
    const rows = await this.transactions.manager.query<Omit<ApiKeyFacts, 'kind'>[]>(
      `SELECT k.user_id AS "userId", k.prefix AS "keyPrefix", k.scopes, k.revoked_at IS NOT NULL AS revoked
         FROM api_keys k JOIN users u ON u.id = k.user_id
        WHERE k.hash = $1 AND u.disabled_at IS NULL`,
      [hash],
    );
    return rows[0] === undefined ? null : { kind: 'api-key', ...rows[0] };
  }

  /** Removes keys that were revoked 90 days ago or longer, at most `limit`; returns how many. */
  async removeLongRevoked(limit: number): Promise<number> {
    const { count } = await this.transactions.modify(
      `DELETE FROM api_keys WHERE hash IN
         (SELECT hash FROM api_keys WHERE revoked_at < now() - interval '90 days' LIMIT $1 FOR UPDATE SKIP LOCKED)`,
      [limit],
    );
    return count;
  }

  /**
   * Writes the last uses of many keys at once; never moves one back. Rows are held in the order of their hashes, so
   * that two instances do not deadlock.
   */
  async markUsed(uses: ReadonlyMap<string, Date>): Promise<void> {
    await this.transactions.manager.query(
      `WITH used AS MATERIALIZED (
         SELECT decode(hash, 'hex') AS hash, at FROM unnest($1::text[], $2::timestamptz[]) AS given(hash, at)),
       held AS MATERIALIZED (
         SELECT hash FROM api_keys WHERE hash IN (SELECT hash FROM used) ORDER BY hash FOR NO KEY UPDATE)
       UPDATE api_keys k SET last_used_at = GREATEST(k.last_used_at, used.at)
         FROM held JOIN used USING (hash) WHERE k.hash = held.hash`,
      [[...uses.keys()], [...uses.values()].map((at) => at.toISOString())],
    );
  }
}

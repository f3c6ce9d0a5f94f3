import { Injectable } from '@nestjs/common';
import { Transactions } from '../platform/database/transactions.js';

/** A key of a bot that lives. */
export interface LivingBotKey {
  readonly botId: string;
  readonly prefix: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  /** Null where only the end of its bot ends it. */
  readonly validUntil: Date | null;
}

/** A key to store; only its hash stays. */
export interface NewBotKey {
  readonly hash: Buffer;
  readonly prefix: string;
  readonly botId: string;
  readonly userId: string;
}

const LIVES = `revoked_at IS NULL AND (valid_until IS NULL OR valid_until > clock_timestamp())`;

/** Keys of bots (contract.md 5.11); that of a user stands in `api_keys`. All times are the database's. */
@Injectable()
export class BotKeysRepository {
  constructor(private readonly transactions: Transactions) {}

  async insert({ hash, prefix, botId, userId }: NewBotKey): Promise<void> {
    await this.transactions.manager.query(
      'INSERT INTO bot_keys (hash, prefix, bot_id, user_id) VALUES ($1, $2, $3, $4)',
      [hash, prefix, botId, userId],
    );
  }

  /** Newest first, of several bots. */
  listLiving(botIds: readonly string[]): Promise<LivingBotKey[]> {
    return this.transactions.manager.query<LivingBotKey[]>(
      `SELECT bot_id AS "botId", prefix, created_at AS "createdAt", last_used_at AS "lastUsedAt", valid_until AS "validUntil"
         FROM bot_keys WHERE bot_id = ANY($1) AND ${LIVES} ORDER BY created_at DESC, prefix`,
      [botIds],
    );
  }

  /** Gives the key that has no end yet one, so many seconds ahead; returns when, or null where there is none. */
  async limit(botId: string, seconds: number): Promise<Date | null> {
    const { rows } = await this.transactions.modify<{ validUntil: Date }>(
      `UPDATE bot_keys SET valid_until = clock_timestamp() + make_interval(secs => $2)
        WHERE bot_id = $1 AND revoked_at IS NULL AND valid_until IS NULL RETURNING valid_until AS "validUntil"`,
      [botId, seconds],
    );
    return rows[0]?.validUntil ?? null;
  }

  /** Ends the keys of a bot at once, or those alone that have an end already; returns when, or null where there was none that lived. */
  async revoke(botId: string, { onlyLimited }: { onlyLimited: boolean }): Promise<Date | null> {
    const { rows } = await this.transactions.modify<{ revokedAt: Date }>(
      `UPDATE bot_keys SET revoked_at = clock_timestamp()
        WHERE bot_id = $1 AND ${LIVES} AND (NOT $2 OR valid_until IS NOT NULL) RETURNING revoked_at AS "revokedAt"`,
      [botId, onlyLimited],
    );
    return rows[0]?.revokedAt ?? null;
  }

  /** Ends all keys of all bots of a user. */
  async revokeAll(userId: string): Promise<void> {
    await this.transactions.modify(
      `UPDATE bot_keys SET revoked_at = clock_timestamp()
        WHERE bot_id IN (SELECT id FROM bots WHERE user_id = $1) AND revoked_at IS NULL`,
      [userId],
    );
  }

  /** Removes keys that ended 90 days ago or longer, at most `limit`; returns how many. */
  async removeLongEnded(limit: number): Promise<number> {
    const { count } = await this.transactions.modify(
      `DELETE FROM bot_keys WHERE hash IN
         (SELECT hash FROM bot_keys WHERE COALESCE(revoked_at, valid_until) < now() - interval '90 days'
           LIMIT $1 FOR UPDATE SKIP LOCKED)`,
      [limit],
    );
    return count;
  }
}

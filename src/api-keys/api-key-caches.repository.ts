import { Injectable } from '@nestjs/common';
import { Transactions } from '../platform/database/transactions.js';

/** How long each live instance caches facts of API keys (contract.md 6, S-30). */
@Injectable()
export class ApiKeyCachesRepository {
  constructor(private readonly transactions: Transactions) {}

  /** By the database's clock, so that those of the instances do not matter. */
  async record(instance: string, ttlMs: number, forMs: number): Promise<void> {
    await this.transactions.manager.query(
      `INSERT INTO api_key_caches (instance, ttl_ms, lapses_at)
       VALUES ($1, $2, clock_timestamp() + make_interval(secs => $3))
       ON CONFLICT (instance) DO UPDATE SET ttl_ms = EXCLUDED.ttl_ms, lapses_at = EXCLUDED.lapses_at`,
      [instance, ttlMs, forMs / 1_000],
    );
  }

  async remove(instance: string): Promise<void> {
    await this.transactions.manager.query('DELETE FROM api_key_caches WHERE instance = $1', [instance]);
  }

  /** The largest time of those that have not lapsed; 0 where there is none. */
  async longestTtlMs(): Promise<number> {
    const rows = await this.transactions.manager.query<{ longest: number | null }[]>(
      'SELECT max(ttl_ms) AS longest FROM api_key_caches WHERE lapses_at > clock_timestamp()',
    );
    return rows[0]?.longest ?? 0;
  }

  /** Removes records of instances that ended without removing theirs, at most `limit`; returns how many. */
  async removeLapsed(limit: number): Promise<number> {
    const { count } = await this.transactions.modify(
      `DELETE FROM api_key_caches WHERE instance IN
         (SELECT instance FROM api_key_caches WHERE lapses_at < now() - interval '1 hour'
          LIMIT $1 FOR UPDATE SKIP LOCKED)`,
      [limit],
    );
    return count;
  }
}

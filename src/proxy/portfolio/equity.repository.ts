import { Injectable } from '@nestjs/common';
import { Transactions } from '../../platform/database/transactions.js';
import type { PortfolioTotalDto } from './portfolio.dto.js';

/** What the accounts of a user were worth. */
export interface EquityTotals {
  readonly totals: readonly PortfolioTotalDto[];
  /** Digests of the accounts by the currency of their total, as `accountsOf` makes them; null where nobody noted them. */
  readonly accounts: Readonly<Record<string, string>> | null;
}

export interface EquityPoint extends EquityTotals {
  readonly at: Date;
  /** Whether there were more than 2 hours without a point, or other accounts, since the point before. */
  readonly gap: boolean;
}

export interface EquitySpan {
  readonly start: Date;
  readonly end: Date;
}

/** Points of equity, and who wants one each hour; times are of the database's clock. */
@Injectable()
export class EquityRepository {
  constructor(private readonly transactions: Transactions) {}

  /** Leaves a point unless the user has one of the last 15 minutes: the row of the user lets one of several in. */
  async add(userId: string, { totals, accounts }: EquityTotals): Promise<void> {
    await this.transactions.manager.query(
      `WITH due AS (
         INSERT INTO equity_records AS record (user_id, last_point_at) VALUES ($1, clock_timestamp())
         ON CONFLICT (user_id) DO UPDATE SET last_point_at = clock_timestamp()
          WHERE record.last_point_at IS NULL OR record.last_point_at <= clock_timestamp() - interval '15 minutes'
         RETURNING user_id, last_point_at)
       INSERT INTO equity_points (user_id, at, totals, accounts)
       SELECT user_id, last_point_at, $2::jsonb, $3::jsonb FROM due`,
      [userId, JSON.stringify(totals), JSON.stringify(accounts)],
    );
  }

  /** Oldest first; of more than `most` the last of each of so many groups of like size, with the gaps of its group. */
  list(userId: string, { start, end }: EquitySpan, most: number): Promise<EquityPoint[]> {
    return this.transactions.manager.query<EquityPoint[]>(
      `SELECT at, totals, accounts, gap FROM (
         SELECT DISTINCT ON (part) part, at, totals, accounts, bool_or(is_after_gap) OVER (PARTITION BY part) AS gap
           FROM (SELECT at, totals, accounts, ntile($4::int) OVER (ORDER BY at) AS part,
                        coalesce(at > lag(at) OVER (ORDER BY at) + interval '2 hours', false)
                        OR coalesce(accounts <> lag(accounts) OVER (ORDER BY at), false) AS is_after_gap
                   FROM equity_points WHERE user_id = $1 AND at >= $2 AND at < $3) AS points
          ORDER BY part, at DESC) AS shown
        ORDER BY at`,
      [userId, start, end, most],
    );
  }

  async isHourly(userId: string): Promise<boolean> {
    const rows = await this.transactions.manager.query<{ is_hourly: boolean }[]>(
      'SELECT is_hourly FROM equity_records WHERE user_id = $1',
      [userId],
    );
    return rows[0]?.is_hourly ?? false;
  }

  async setHourly(userId: string, isHourly: boolean): Promise<void> {
    await this.transactions.manager.query(
      `INSERT INTO equity_records (user_id, is_hourly) VALUES ($1, $2)
       ON CONFLICT (user_id) DO UPDATE SET is_hourly = EXCLUDED.is_hourly`,
      [userId, isHourly],
    );
  }

  /**
   * Takes users who want a point each hour and have none of the last one: each is taken by one instance, and again after 10 minutes at
   * the earliest.
   */
  async takeDue(limit: number): Promise<string[]> {
    const { rows } = await this.transactions.modify<{ user_id: string }>(
      `UPDATE equity_records SET tried_at = clock_timestamp()
        WHERE user_id IN (
          SELECT record.user_id FROM equity_records AS record JOIN users ON users.id = record.user_id
           WHERE record.is_hourly AND users.disabled_at IS NULL
             AND (record.last_point_at IS NULL OR record.last_point_at <= clock_timestamp() - interval '1 hour')
             AND (record.tried_at IS NULL OR record.tried_at <= clock_timestamp() - interval '10 minutes')
           ORDER BY record.tried_at NULLS FIRST LIMIT $1 FOR NO KEY UPDATE OF record SKIP LOCKED)
        RETURNING user_id`,
      [limit],
    );
    return rows.map(({ user_id }) => user_id);
  }

  /** Removes points of more than 400 days ago; returns how many. */
  async removeOld(limit: number): Promise<number> {
    const { count } = await this.transactions.modify(
      `DELETE FROM equity_points WHERE (user_id, at) IN (
         SELECT user_id, at FROM equity_points WHERE at < clock_timestamp() - interval '400 days' ORDER BY at LIMIT $1)`,
      [limit],
    );
    return count;
  }
}

import { Injectable } from '@nestjs/common';
import type { BotMarket } from '../access/principal.js';
import { isUniqueViolation } from '../platform/database/database-errors.js';
import { Transactions } from '../platform/database/transactions.js';
import type { Bot, BotLimits, BotScope, BotState, BotTerms, HaltReason, OnMiss } from './bot.js';

interface Row {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly scopes: BotScope[];
  readonly exchanges: string[] | null;
  readonly markets: BotMarket[] | null;
  readonly limits: BotLimits;
  readonly allowedNetworks: string[] | null;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly state: BotState;
  readonly haltedAt: Date | null;
  readonly haltReason: HaltReason | null;
  readonly haltedBy: string | null;
  readonly haltIsComplete: boolean;
  readonly ttlSeconds: number | null;
  readonly onMiss: OnMiss | null;
  readonly lastBeatAt: Date | null;
  readonly lapsesAt: Date | null;
  readonly missedSince: Date | null;
}

const COLUMNS = `id, user_id AS "userId", name, scopes, exchanges, markets, limits, allowed_networks AS "allowedNetworks",
  created_at AS "createdAt", expires_at AS "expiresAt", halted_at AS "haltedAt", halt_reason AS "haltReason", halted_by AS "haltedBy",
  halt_complete_at IS NOT NULL AS "haltIsComplete",
  beat_ttl AS "ttlSeconds", beat_on_miss AS "onMiss", last_beat_at AS "lastBeatAt", 
  CASE WHEN halted_at IS NULL AND missed_since IS NULL AND removed_at IS NULL THEN beat_end(bots) END AS "lapsesAt",
  missed_since AS "missedSince",
  CASE WHEN removed_at IS NOT NULL THEN 'removed' WHEN expires_at <= clock_timestamp() THEN 'expired'
       WHEN halted_at IS NOT NULL THEN 'halted' ELSE 'active' END AS state`;

/** One that was removed is shown for 90 days (contract.md 5.11). */
const SHOWN = `(removed_at IS NULL OR removed_at > now() - interval '90 days')`;
const MOST_REMOVED = 200;

function toBot({
  haltedAt,
  haltReason,
  haltedBy,
  haltIsComplete,
  ttlSeconds,
  onMiss,
  lastBeatAt,
  lapsesAt,
  missedSince,
  ...row
}: Row): Bot {
  return {
    ...row,
    halted:
      haltedAt === null || haltReason === null
        ? null
        : { at: haltedAt, reason: haltReason, by: haltedBy ?? 'service', isComplete: haltIsComplete },
    heartbeat:
      ttlSeconds === null || onMiss === null
        ? null
        : { ttlSeconds, onMiss, lastBeatAt, expiresAt: lapsesAt, missedSince },
  };
}

function parametersOf({ name, scopes, exchanges, markets, limits, allowedNetworks, expiresAt }: BotTerms): unknown[] {
  const asJson = markets === null ? null : JSON.stringify(markets);
  return [name, scopes, exchanges, asJson, JSON.stringify(limits), allowedNetworks, expiresAt];
}

/** Stores bots; every query carries the id of their owner (S-32). Halts and ends are marked by `BotHaltsRepository`. */
@Injectable()
export class BotsRepository {
  constructor(private readonly transactions: Transactions) {}

  /** False where a living bot of the user has this name, by the unique index. */
  async insert(id: string, userId: string, terms: BotTerms): Promise<boolean> {
    try {
      await this.transactions.manager.query(
        `INSERT INTO bots (id, user_id, name, scopes, exchanges, markets, limits, allowed_networks, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
        [id, userId, ...parametersOf(terms)],
      );
      return true;
    } catch (error) {
      if (isUniqueViolation(error, 'bots_name')) return false;
      throw error;
    }
  }

  /** Of a removed one too, for 90 days; null where there is none. */
  async find(userId: string, id: string): Promise<Bot | null> {
    return this.#one(`SELECT ${COLUMNS} FROM bots WHERE user_id = $1 AND id = $2 AND ${SHOWN}`, [userId, id]);
  }

  /** As `find`, and no other transaction changes it before this one ends. */
  async hold(userId: string, id: string): Promise<Bot | null> {
    return this.#one(`SELECT ${COLUMNS} FROM bots WHERE user_id = $1 AND id = $2 AND ${SHOWN} FOR NO KEY UPDATE`, [
      userId,
      id,
    ]);
  }

  /** Newest first: all that live, and the 200 that were removed last. */
  async list(userId: string): Promise<Bot[]> {
    const rows = await this.transactions.manager.query<Row[]>(
      `SELECT ${COLUMNS} FROM bots WHERE id IN (
         SELECT id FROM bots WHERE user_id = $1 AND removed_at IS NULL
         UNION ALL
         (SELECT id FROM bots WHERE user_id = $1 AND removed_at > now() - interval '90 days'
           ORDER BY removed_at DESC LIMIT ${MOST_REMOVED}))
       ORDER BY created_at DESC, id DESC`,
      [userId],
    );
    return rows.map(toBot);
  }

  /** Those that live, for the operator. */
  async listLiving({
    userId,
    exchange,
  }: {
    readonly userId: string | null;
    readonly exchange: string | null;
  }): Promise<Bot[]> {
    const rows = await this.transactions.manager.query<Row[]>(
      `SELECT ${COLUMNS} FROM bots
        WHERE removed_at IS NULL AND ($1::text IS NULL OR user_id = $1) AND ($2::text IS NULL OR exchanges IS NULL OR $2 = ANY(exchanges))
        ORDER BY user_id, created_at`,
      [userId, exchange],
    );
    return rows.map(toBot);
  }

  /** Ids and names of those that live. */
  listNames(userId: string): Promise<{ readonly id: string; readonly name: string }[]> {
    return this.transactions.manager.query('SELECT id, name FROM bots WHERE user_id = $1 AND removed_at IS NULL', [
      userId,
    ]);
  }

  /** Writes all terms of a bot. A new end is told of anew. False where another living bot has the name. */
  async change(id: string, terms: BotTerms): Promise<boolean> {
    try {
      await this.transactions.modify(
        `UPDATE bots SET name = $2, scopes = $3, exchanges = $4, markets = $5, limits = $6, allowed_networks = $7,
                expiry_noted_at = CASE WHEN expires_at IS NOT DISTINCT FROM $8 THEN expiry_noted_at END, expires_at = $8
          WHERE id = $1`,
        [id, ...parametersOf(terms)],
      );
      return true;
    } catch (error) {
      if (isUniqueViolation(error, 'bots_name')) return false;
      throw error;
    }
  }

  /** Ends a halt, and arms the heartbeat anew for its whole time. */
  async resume(id: string): Promise<void> {
    await this.transactions.modify(
      `UPDATE bots SET halted_at = NULL, halt_reason = NULL, halted_by = NULL, halt_report = NULL, halt_complete_at = NULL,
              halt_tried_at = NULL, missed_since = NULL, cancel_wanted_at = NULL, beat_lapses_at = clock_timestamp() + make_interval(secs => beat_ttl)
        WHERE id = $1`,
      [id],
    );
  }

  /** Removes a bot for good, and forgets the user's oldest removed ones beyond the 200 that are kept, where their halt is complete. */
  async remove(userId: string, id: string): Promise<void> {
    await this.transactions.modify('UPDATE bots SET removed_at = clock_timestamp() WHERE id = $1', [id]);
    await this.transactions.modify(
      `DELETE FROM bots WHERE halt_complete_at IS NOT NULL AND id IN (
         SELECT id FROM bots WHERE user_id = $1 AND removed_at IS NOT NULL ORDER BY removed_at DESC OFFSET ${MOST_REMOVED})`,
      [userId],
    );
  }

  /** Forgets those that were removed 90 days ago or longer, at most `limit`; returns how many. */
  async removeLongRemoved(limit: number): Promise<number> {
    const { count } = await this.transactions.modify(
      `DELETE FROM bots WHERE id IN
         (SELECT id FROM bots WHERE removed_at < now() - interval '90 days' AND halt_complete_at IS NOT NULL
          LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED)`,
      [limit],
    );
    return count;
  }

  async #one(statement: string, parameters: unknown[]): Promise<Bot | null> {
    const [row] = await this.transactions.manager.query<Row[]>(statement, parameters);
    return row === undefined ? null : toBot(row);
  }
}

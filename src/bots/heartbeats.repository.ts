import { Injectable } from '@nestjs/common';
import { Transactions } from '../platform/database/transactions.js';
import type { OnMiss } from './bot.js';

/** A beat that was taken. */
export interface Beat {
  readonly expiresAt: Date;
  /** Whether the switch had fired before, and nobody had seen that. */
  readonly hasFired: boolean;
}

/** What a switch that fires does: the bot is halted, or only its orders are cancelled until it beats again. */
const FIRES = `
  halted_at = CASE WHEN beat_on_miss = 'halt' THEN clock_timestamp() ELSE halted_at END,
  halt_reason = CASE WHEN beat_on_miss = 'halt' THEN 'heartbeat_missed' ELSE halt_reason END,
  halted_by = CASE WHEN beat_on_miss = 'halt' THEN 'service' ELSE halted_by END,
  halt_report = CASE WHEN beat_on_miss = 'halt' THEN NULL ELSE halt_report END,
  halt_complete_at = CASE WHEN beat_on_miss = 'halt' THEN NULL ELSE halt_complete_at END,
  halt_tried_at = NULL,
  cancel_wanted_at = CASE WHEN beat_on_miss = 'cancel' THEN clock_timestamp() ELSE cancel_wanted_at END,
  missed_since = CASE WHEN beat_on_miss = 'cancel' THEN beat_end(bots) ELSE missed_since END`;

/** A switch that has fired, and nobody has seen that yet. */
const HAS_FIRED = `COALESCE(beat_end(bots) <= clock_timestamp() AND halted_at IS NULL AND missed_since IS NULL AND removed_at IS NULL, false)`;

/** The dead man's switches of bots; all times are the database's (contract.md 5.13). */
@Injectable()
export class HeartbeatsRepository {
  constructor(private readonly transactions: Transactions) {}

  /** Sets the switch anew; it ends a gap, and never a halt. Null for a bot that was removed. */
  async beat(botId: string, ttlSeconds: number, onMiss: OnMiss): Promise<Beat | null> {
    const { rows } = await this.transactions.modify<Beat>(
      `UPDATE bots SET beat_ttl = $2::integer, beat_on_miss = $3, last_beat_at = clock_timestamp(), missed_since = NULL,
              beat_lapses_at = clock_timestamp() + make_interval(secs => $2::integer)
        WHERE id = $1 AND removed_at IS NULL AND NOT ${HAS_FIRED}
       RETURNING beat_lapses_at AS "expiresAt", false AS "hasFired"`,
      [botId, ttlSeconds, onMiss],
    );
    return rows[0] ?? null;
  }

  /** Takes the switch off, and ends a gap; false where the switch has fired, and nobody has seen that. */
  async stop(botId: string): Promise<boolean> {
    const { count } = await this.transactions.modify(
      `UPDATE bots SET beat_ttl = NULL, beat_on_miss = NULL, last_beat_at = NULL, beat_lapses_at = NULL, missed_since = NULL
        WHERE id = $1 AND NOT ${HAS_FIRED}`,
      [botId],
    );
    return count === 1;
  }

  /** Bots whose switch has fired, and nobody has seen that, by their users; at most `limit`, and none of the users that are left out. */
  async listFired(limit: number, without: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const rows = await this.transactions.manager.query<{ userId: string; ids: string[] }[]>(
      `SELECT user_id AS "userId", array_agg(id ORDER BY beat_lapses_at) AS ids
         FROM (SELECT id, user_id, beat_lapses_at FROM bots
                WHERE beat_lapses_at <= clock_timestamp() AND NOT user_id = ANY($2) AND ${HAS_FIRED}
                ORDER BY beat_lapses_at LIMIT $1) AS fired
        GROUP BY user_id ORDER BY min(beat_lapses_at)`,
      [limit, without],
    );
    return new Map(rows.map(({ userId, ids }) => [userId, ids]));
  }

  /** Marks that a switch has fired, once; false where that was seen before. Needs a transaction. */
  async fire(botId: string): Promise<boolean> {
    const { count } = await this.transactions.modify(`UPDATE bots SET ${FIRES} WHERE id = $1 AND ${HAS_FIRED}`, [
      botId,
    ]);
    return count === 1;
  }

  /** Beats that were missed in the last `ms` were nobody's fault: each switch that would have fired since has its whole time again. */
  async forgive(ms: number): Promise<void> {
    await this.transactions.modify(
      `UPDATE bots SET beat_lapses_at = clock_timestamp() + make_interval(secs => beat_ttl)
        WHERE beat_lapses_at > clock_timestamp() - $1 * interval '1 millisecond' AND halted_at IS NULL AND missed_since IS NULL
          AND beat_lapses_at <= clock_timestamp()`,
      [ms],
    );
  }
}

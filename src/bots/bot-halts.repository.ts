import { Injectable } from '@nestjs/common';
import { Transactions } from '../platform/database/transactions.js';
import type { HaltReason } from './bot.js';
import type { ExchangeHalt, Marks } from './halting.js';

/** Whom a halt is of, why and by whom. */
export interface Halt {
  readonly userId: string;
  /** Null for all of the user's that live. */
  readonly botIds: readonly string[] | null;
  readonly reason: HaltReason;
  /** The id of a session, the prefix of a key, `operator` or `service`. */
  readonly by: string;
}

/** A halted bot. */
export interface HaltedBot {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly haltedAt: Date;
  readonly reason: HaltReason;
  readonly by: string | null;
  /** Null while orders of it may rest. */
  readonly completeAt: Date | null;
  /** What was done at each exchange so far; null before that. */
  readonly exchanges: readonly ExchangeHalt[] | null;
  readonly isRemoved: boolean;
}

/** A bot that ends soon, and its owner's address. */
export interface EndingBot {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly expiresAt: Date;
  readonly email: string;
}

const HALTED = `id, user_id AS "userId", name, halted_at AS "haltedAt", halt_reason AS reason, halted_by AS by,
  halt_complete_at AS "completeAt", halt_report AS exchanges, removed_at IS NOT NULL AS "isRemoved"`;

/** Marks halts of bots, by the database's clock. What sends an order looks at the mark where its sending begins (S-30). */
@Injectable()
export class BotHaltsRepository {
  constructor(private readonly transactions: Transactions) {}

  /**
   * Marks those that are not halted yet; returns these. Rows are held in the order of their ids. Whoever marks goes on with the halt; others
   * do so 5 s later. Needs a transaction.
   */
  async mark({ userId, botIds, reason, by }: Halt): Promise<HaltedBot[]> {
    const { rows } = await this.transactions.modify<HaltedBot>(
      `WITH held AS MATERIALIZED (
         SELECT id FROM bots
          WHERE user_id = $1 AND removed_at IS NULL AND halted_at IS NULL AND ($2::text[] IS NULL OR id = ANY($2))
          ORDER BY id FOR NO KEY UPDATE)
       UPDATE bots SET halted_at = clock_timestamp(), halt_reason = $3, halted_by = $4, halt_complete_at = NULL,
                       halt_report = NULL, halt_tried_at = clock_timestamp()
        WHERE id IN (SELECT id FROM held) RETURNING ${HALTED}`,
      [userId, botIds, reason, by],
    );
    return rows;
  }

  /** Of the halted ones; of one that was removed too. In the order of their ids. */
  listHalted({ userId, botIds }: Pick<Halt, 'userId' | 'botIds'>): Promise<HaltedBot[]> {
    return this.transactions.manager.query<HaltedBot[]>(
      `SELECT ${HALTED} FROM bots
        WHERE user_id = $1 AND halted_at IS NOT NULL AND (CASE WHEN $2::text[] IS NULL THEN removed_at IS NULL ELSE id = ANY($2) END)
        ORDER BY id`,
      [userId, botIds],
    );
  }

  /** Null where it is not halted. */
  async findHalted(botId: string): Promise<HaltedBot | null> {
    const rows = await this.transactions.manager.query<HaltedBot[]>(
      `SELECT ${HALTED} FROM bots WHERE id = $1 AND halted_at IS NOT NULL`,
      [botId],
    );
    return rows[0] ?? null;
  }

  /** Marks the next bot whose end has come, and that nobody holds; null where there is none. Needs a transaction. */
  async markExpired(): Promise<HaltedBot | null> {
    const { rows } = await this.transactions.modify<HaltedBot>(
      `UPDATE bots SET halted_at = clock_timestamp(), halt_reason = 'expired', halted_by = 'service', halt_complete_at = NULL,
                       halt_report = NULL, halt_tried_at = NULL
        WHERE id = (SELECT id FROM bots WHERE expires_at <= clock_timestamp() AND removed_at IS NULL AND halted_at IS NULL
                     ORDER BY expires_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED)
       RETURNING ${HALTED}`,
      [],
    );
    return rows[0] ?? null;
  }

  /** Keeps others from trying so long, in seconds; returns those of these bots whose halt is not complete. */
  async claim(botIds: readonly string[], seconds: number): Promise<string[]> {
    const { rows } = await this.transactions.modify<{ id: string }>(
      `UPDATE bots SET halt_tried_at = clock_timestamp() + make_interval(secs => $2)
        WHERE id = ANY($1) AND halted_at IS NOT NULL AND halt_complete_at IS NULL RETURNING id`,
      [botIds, seconds],
    );
    return rows.map(({ id }) => id);
  }

  /** Takes at most `limit` bots whose orders are to be cancelled still: those of halts, and of beats that were missed. */
  async takeDue(limit: number): Promise<{ readonly id: string; readonly userId: string }[]> {
    const { rows } = await this.transactions.modify<{ id: string; userId: string }>(
      `UPDATE bots SET halt_tried_at = clock_timestamp() + interval '30 seconds'
        WHERE id IN (
          SELECT id FROM bots
           WHERE (halted_at IS NOT NULL AND halt_complete_at IS NULL OR cancel_wanted_at IS NOT NULL)
             AND (halt_tried_at IS NULL OR halt_tried_at < clock_timestamp() -
                  CASE WHEN COALESCE(halted_at, cancel_wanted_at) > clock_timestamp() - interval '1 hour'
                       THEN interval '5 seconds' ELSE interval '5 minutes' END)
           ORDER BY halt_tried_at NULLS FIRST LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED)
       RETURNING id, user_id AS "userId"`,
      [limit],
    );
    return rows;
  }

  /** Writes what a halt has done so far; returns the halt where that is its end, unless the bot was resumed meanwhile. */
  async save(
    { id, haltedAt }: HaltedBot,
    exchanges: readonly ExchangeHalt[],
    isComplete: boolean,
  ): Promise<HaltedBot | null> {
    const { rows } = await this.transactions.modify<HaltedBot>(
      `UPDATE bots SET halt_report = $2, halt_tried_at = clock_timestamp(),
                       halt_complete_at = CASE WHEN $3::boolean THEN clock_timestamp() END,
                       cancel_wanted_at = CASE WHEN $3::boolean THEN NULL ELSE cancel_wanted_at END
        WHERE id = $1 AND date_trunc('milliseconds', halted_at) = $4 AND halt_complete_at IS NULL RETURNING ${HALTED}`,
      [id, JSON.stringify(exchanges), isComplete, haltedAt],
    );
    return isComplete ? (rows[0] ?? null) : null;
  }

  /** What a beat that was missed asked for then, in µs, is done, or is tried again; not where another was missed meanwhile. */
  async saveGap(id: string, mark: number, isComplete: boolean): Promise<void> {
    await this.transactions.modify(
      `UPDATE bots SET halt_tried_at = clock_timestamp(), cancel_wanted_at = CASE WHEN $3::boolean THEN NULL ELSE cancel_wanted_at END
        WHERE id = $1 AND halted_at IS NULL AND (EXTRACT(EPOCH FROM cancel_wanted_at) * 1000000)::float8 = $2`,
      [id, mark, isComplete],
    );
  }

  /** When it was said of each, in µs, that its orders are to be cancelled: no later one is. */
  async listMarks(botIds: readonly string[]): Promise<Marks> {
    const rows = await this.transactions.manager.query<{ id: string; at: number | null; isRestored: boolean }[]>(
      `SELECT id, halt_reason IS NOT DISTINCT FROM 'restored' AS "isRestored",
              (EXTRACT(EPOCH FROM COALESCE(halted_at, cancel_wanted_at)) * 1000000)::float8 AS at
         FROM bots WHERE id = ANY($1)`,
      [botIds],
    );
    return new Map(rows.flatMap(({ id, at, isRestored }) => (at === null ? [] : [[id, { at, isRestored }] as const])));
  }

  /** Marks the next bot that ends within 3 days as told of; null where there is none. Whose address nobody proved is not told. */
  async claimEnding(): Promise<EndingBot | null> {
    const { rows } = await this.transactions.modify<EndingBot>(
      `WITH due AS MATERIALIZED (
         SELECT bot.id, account.email FROM bots bot JOIN users account ON account.id = bot.user_id
          WHERE bot.expires_at > clock_timestamp() AND bot.expires_at <= clock_timestamp() + interval '3 days'
            AND bot.expiry_noted_at IS NULL AND bot.removed_at IS NULL
            AND account.email_verified_at IS NOT NULL AND account.disabled_at IS NULL
          ORDER BY bot.expires_at LIMIT 1 FOR NO KEY UPDATE OF bot SKIP LOCKED)
       UPDATE bots b SET expiry_noted_at = clock_timestamp() FROM due WHERE b.id = due.id
       RETURNING b.id, b.user_id AS "userId", b.name, b.expires_at AS "expiresAt", due.email`,
      [],
    );
    return rows[0] ?? null;
  }
}

import { Injectable } from '@nestjs/common';
import { Transactions } from '../../platform/database/transactions.js';
import { BUSY, EXPIRED, IS_OPEN, NOW, ON_ITS_WAY } from './ledger-conditions.js';
import { Ledger } from './ledger.repository.js';
import type { IdempotencyScope } from './placement.js';

/** What the record under a key says. */
export interface KeyRecord {
  /** Of its row. */
  readonly id: string;
  readonly state: 'sending' | 'unknown' | 'done' | 'abandoned';
  /** Whether a call is working on it. */
  readonly busy: boolean;
  readonly answer: unknown;
  /** Of a refusal: its reason or code, and the words, also where it is not kept. */
  readonly reason: string | null;
  readonly words: string | null;
  /** From when on a refusal is final; null where none can come, and where no time says so. */
  readonly refusalHoldsAt: Date | null;
  /** Whether it has no end yet: a look-up may change it. */
  readonly isOpen: boolean;
}

/** Nothing that is asked for has this fingerprint. */
const NO_BODY = Buffer.alloc(0);

/** A key of one sender at one exchange, whichever API key it sends with: a bot's keys outlive its rotations. */
type Key = Omit<IdempotencyScope, 'keyPrefix'>;

const IS_BOUND = `bound.user_id = $1 AND sender = COALESCE($5, '') AND bound.exchange = $2 AND bound.kind = $3 AND bound.key = $4
  AND placements.id = bound.placement_id AND (${BUSY} OR NOT ${EXPIRED})`;

const FATE = `placements.id, ${BUSY} AS busy, ${IS_OPEN} AS "isOpen", answer, reason, words,
  CASE WHEN state IN ('begun', 'sending', 'unknown', 'refused') AND isfinite(refusal_holds_at) THEN refusal_holds_at END AS "refusalHoldsAt"`;
const STATE = `CASE WHEN ${ON_ITS_WAY} THEN 'sending' WHEN state = 'unknown' THEN 'unknown' ELSE 'done' END`;

/** Reads what became of keys, which changes nothing, and gives keys up (contract.md 5). */
@Injectable()
export class LedgerKeys {
  constructor(
    private readonly transactions: Transactions,
    private readonly ledger: Ledger,
  ) {}

  /** Null where the key is bound to nothing, or was last attempted over 24 h ago. No claim is taken, and no key lives longer. */
  async find({ userId, exchange, kind, key, botId }: Key): Promise<KeyRecord | null> {
    const rows = await this.transactions.manager.query<KeyRecord[]>(
      `SELECT ${FATE}, CASE WHEN abandoned_at IS NOT NULL THEN 'abandoned' ELSE ${STATE} END AS state
         FROM idempotency_keys AS bound, placements WHERE ${IS_BOUND}`,
      [userId, exchange, kind, key, botId],
    );
    return rows[0] ?? null;
  }

  /**
   * Gives up a key that is bound: no sending begins under it any more, for 24 h from now. What had not begun to be sent never is. Returns
   * what the record says otherwise; null where the key is bound to nothing.
   */
  async abandon({ userId, exchange, kind, key, botId }: Key): Promise<KeyRecord | null> {
    const { rows } = await this.transactions.modify<KeyRecord>(
      `UPDATE placements
          SET abandoned_at = clock_timestamp(), attempt_at = clock_timestamp(), ${NOW},
              state = CASE state WHEN 'begun' THEN 'abandoned' ELSE state END
         FROM idempotency_keys AS bound WHERE ${IS_BOUND}
       RETURNING ${FATE}, ${STATE} AS state`,
      [userId, exchange, kind, key, botId],
    );
    return rows[0] ?? null;
  }

  /**
   * Gives up a key that is bound to nothing, unless `most` keys of the user were given up within 24 h that made no order. False where
   * somebody has just bound it.
   */
  async abandonFree(scope: IdempotencyScope, most: number): Promise<boolean | 'too_many'> {
    return this.transactions.run(async () => {
      const { manager } = this.transactions;
      await manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 4))', [scope.userId]);
      const [row] = await manager.query<{ count: number }[]>(
        `SELECT count(*)::int AS count FROM placements
          WHERE user_id = $1 AND abandoned_at > clock_timestamp() - interval '24 hours' AND state IN ('abandoned', 'refused')`,
        [scope.userId],
      );
      if ((row?.count ?? 0) >= most) return 'too_many';
      return (await this.ledger.begin(scope, NO_BODY, 0, true)) !== null;
    });
  }
}

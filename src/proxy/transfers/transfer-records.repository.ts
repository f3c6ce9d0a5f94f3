import { Injectable } from '@nestjs/common';
import type { TransferDto } from '../../exchanges/unified.trading.dto.js';
import { type Claim, IdempotencyRepository } from '../orders/idempotency.repository.js';
import { inProgress } from '../orders/order-outcomes.js';

/** What is known of a transfer that is looked for in the history. */
export interface WantedTransfer {
  readonly isProven: boolean;
  readonly wasRefused: boolean;
}

/** The records of transfers under an `Idempotency-Key`; the `nonce` of a record is its `client_transfer_id`. */
@Injectable()
export class TransferRecordsRepository extends IdempotencyRepository {
  protected override readonly table = 'idempotent_transfers';

  /**
   * Keeps, as the answer, the first of these transfers that is not the answer of another record of the user, and returns it;
   * null where there is none. One record of a user at a time, so that no two take the same one. `isProven` says that the
   * transfer exists; else each other record of the same terms whose fate is unknown may have made one of them, and only one more
   * than those is an answer. `note` is done in the same transaction. A record that `wasRefused` gets it in the place of the kept
   * refusal. Throws `idempotency_in_progress` where another call has taken over.
   */
  async finishWithFree(
    claim: Claim,
    transfers: readonly TransferDto[],
    { isProven, wasRefused }: WantedTransfer,
    note: (transfer: TransferDto) => Promise<void>,
  ): Promise<TransferDto | null> {
    if (transfers.length === 0) return null;
    return this.transactions.run(async () => {
      const { manager } = this.transactions;
      await manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 1))', [claim.userId]);
      const [free, ...others] = await this.withoutOthers(claim, transfers);
      if (free === undefined || (!isProven && others.length < (await this.#countRivals(claim)))) return null;
      const answer = { transfer: free };
      if (!(await (wasRefused ? this.correct(claim, answer) : this.finish(claim, answer)))) throw inProgress();
      await note(free);
      return free;
    });
  }

  /** Those of the transfers that are not the answer of another record of the user. */
  async withoutOthers(claim: Claim, transfers: readonly TransferDto[]): Promise<TransferDto[]> {
    if (transfers.length === 0) return [];
    const rows = await this.transactions.manager.query<{ id: string }[]>(
      `SELECT answer -> 'transfer' ->> 'id' AS id FROM idempotent_transfers
        WHERE user_id = $1 AND exchange = $2 AND key <> $3 AND state = 'done'
          AND answer -> 'transfer' ->> 'id' = ANY($4)`,
      [claim.userId, claim.exchange, claim.key, transfers.map(({ id }) => id)],
    );
    const taken = new Set(rows.map(({ id }) => id));
    return transfers.filter(({ id }) => id !== null && !taken.has(id));
  }

  /** Other records of the same terms that may have made a transfer which is not known yet. */
  async #countRivals({ userId, exchange, key }: Claim): Promise<number> {
    const rows = await this.transactions.manager.query<{ rivals: number }[]>(
      `SELECT count(*)::int AS rivals FROM idempotent_transfers other
         JOIN idempotent_transfers own USING (user_id, exchange, fingerprint)
        WHERE user_id = $1 AND exchange = $2 AND own.key = $3 AND other.key <> $3
          AND other.state <> 'done' AND other.reference IS NOT NULL`,
      [userId, exchange, key],
    );
    return rows[0]?.rivals ?? 0;
  }
}

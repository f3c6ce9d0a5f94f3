import { Injectable } from '@nestjs/common';
import type { TransferDto } from '../../exchanges/unified.trading.dto.js';
import { Transactions } from '../../platform/database/transactions.js';
import { Ledger } from './ledger.repository.js';
import { inProgress } from './outcomes.js';
import type { Claim } from './placement.js';

/** What is known of a transfer that is looked for in the history. */
export interface WantedTransfer {
  readonly isProven: boolean;
  readonly wasRefused: boolean;
}

/** Which transfer of an exchange's history is the answer of a row: the history does not show under which id it was sent. */
@Injectable()
export class LedgerTransfers {
  constructor(
    private readonly transactions: Transactions,
    readonly ledger: Ledger,
  ) {}

  /**
   * Keeps, as the answer, the first of these transfers that is not the answer of another row of the user, and returns it; null where
   * there is none. One row of a user at a time, so that no two take the same one. `isProven` says that the transfer exists; else each
   * other row of the same terms whose fate is unknown may have made one of them, and only one more than those is an answer. `note` is
   * done in the same transaction. A row that `wasRefused` gets it in the place of the kept refusal. Throws `idempotency_in_progress`
   * where another call has taken over.
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
      if (!(await (wasRefused ? this.ledger.correct(claim, answer) : this.ledger.finish(claim, answer))))
        throw inProgress();
      await note(free);
      return free;
    });
  }

  /** Those of the transfers that are not the answer of another row of the user. */
  async withoutOthers({ id, userId, exchange }: Claim, transfers: readonly TransferDto[]): Promise<TransferDto[]> {
    if (transfers.length === 0) return [];
    const rows = await this.transactions.manager.query<{ id: string }[]>(
      `SELECT exchange_id AS id FROM placements
        WHERE exchange_id = ANY($4) AND user_id = $2 AND exchange = $3 AND id <> $1 AND kind = 'transfer'`,
      [id, userId, exchange, transfers.map((transfer) => transfer.id)],
    );
    const taken = new Set(rows.map((row) => row.id));
    return transfers.filter((transfer) => transfer.id !== null && !taken.has(transfer.id));
  }

  /** Other rows of the same terms that may have made a transfer which is not known yet. */
  async #countRivals({ id }: Claim): Promise<number> {
    const rows = await this.transactions.manager.query<{ rivals: number }[]>(
      `SELECT count(*)::int AS rivals FROM placements own JOIN placements other USING (user_id, exchange, fingerprint)
        WHERE own.id = $1 AND other.id <> $1 AND own.kind = 'transfer' AND other.kind = 'transfer'
          AND other.key IS NOT NULL
          AND other.reference IS NOT NULL AND other.unbound_at IS NULL AND other.answer IS NULL`,
      [id],
    );
    return rows[0]?.rivals ?? 0;
  }
}

import { Injectable } from '@nestjs/common';
import type { TransferDto } from '../../exchanges/unified.trading.dto.js';
import { type Claim, IdempotencyRepository } from '../orders/idempotency.repository.js';
import { inProgress } from '../orders/order-outcomes.js';

/** The records of transfers under an `Idempotency-Key`; the `nonce` of a record is its `client_transfer_id`. */
@Injectable()
export class TransferRecordsRepository extends IdempotencyRepository {
  protected override readonly table = 'idempotent_transfers';

  /**
   * Keeps, as the answer, the first of these transfers that is not the answer of another record of the user, and returns it;
   * null where there is none. One record of a user at a time, so that no two take the same one. Throws
   * `idempotency_in_progress` where another call has taken over.
   */
  async finishWithFree(claim: Claim, transfers: readonly TransferDto[]): Promise<TransferDto | null> {
    if (transfers.length === 0) return null;
    return this.transactions.run(async () => {
      const { manager } = this.transactions;
      await manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 1))', [claim.userId]);
      const rows = await manager.query<{ id: string }[]>(
        `SELECT answer -> 'transfer' ->> 'id' AS id FROM idempotent_transfers
          WHERE user_id = $1 AND exchange = $2 AND key <> $3 AND state = 'done'
            AND answer -> 'transfer' ->> 'id' = ANY($4)`,
        [claim.userId, claim.exchange, claim.key, transfers.map(({ id }) => id)],
      );
      const taken = new Set(rows.map(({ id }) => id));
      const free = transfers.find(({ id }) => id !== null && !taken.has(id));
      if (free === undefined) return null;
      if (!(await this.finish(claim, { transfer: free }))) throw inProgress();
      return free;
    });
  }
}

import { Injectable } from '@nestjs/common';
import { Transactions } from '../../platform/database/transactions.js';

/** Finds accounts by what an operator calls them. */
@Injectable()
export class AccountIdsRepository {
  constructor(private readonly transactions: Transactions) {}

  /** The id of the user with this id or address; null where there is none. */
  async find(idOrEmail: string): Promise<string | null> {
    const rows = await this.transactions.manager.query<{ id: string }[]>(
      'SELECT id FROM users WHERE id = $1 OR email = $2 LIMIT 1',
      [idOrEmail, idOrEmail.toLowerCase()],
    );
    return rows[0]?.id ?? null;
  }
}

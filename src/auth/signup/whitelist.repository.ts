import { Injectable } from '@nestjs/common';
import { Transactions } from '../../platform/database/transactions.js';

/** Stores pre-approved addresses in canonical form. */
@Injectable()
export class WhitelistRepository {
  constructor(private readonly transactions: Transactions) {}

  async has(email: string): Promise<boolean> {
    const rows = await this.transactions.manager.query<unknown[]>('SELECT 1 FROM whitelist_emails WHERE email = $1', [
      email,
    ]);
    return rows.length === 1;
  }

  async add(email: string): Promise<boolean> {
    const rows = await this.transactions.manager.query<unknown[]>(
      'INSERT INTO whitelist_emails (email) VALUES ($1) ON CONFLICT (email) DO NOTHING RETURNING email',
      [email],
    );
    return rows.length === 1;
  }

  async remove(email: string): Promise<boolean> {
    const { count } = await this.transactions.modify('DELETE FROM whitelist_emails WHERE email = $1', [email]);
    return count === 1;
  }

  async list(): Promise<string[]> {
    const rows = await this.transactions.manager.query<{ email: string }[]>(
      'SELECT email FROM whitelist_emails ORDER BY email',
    );
    return rows.map(({ email }) => email);
  }
}

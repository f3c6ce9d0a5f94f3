import { Injectable } from '@nestjs/common';
import { Transactions } from '../../platform/database/transactions.js';

/** A sign-up whose address is still to be proved; each has its own name and password (S-10). */
export interface PendingSignUp {
  /** The id that its user will have. */
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string;
  readonly createdAt: Date;
}

const COLUMNS = 'id, email, name, password_hash AS "passwordHash", created_at AS "createdAt"';

/** Stores pending sign-ups. */
@Injectable()
export class PendingSignUpsRepository {
  constructor(private readonly transactions: Transactions) {}

  async insert(signUp: Omit<PendingSignUp, 'createdAt'>): Promise<void> {
    await this.transactions.manager.query(
      'INSERT INTO pending_signups (id, email, name, password_hash) VALUES ($1, $2, $3, $4)',
      [signUp.id, signUp.email, signUp.name, signUp.passwordHash],
    );
  }

  async find(id: string): Promise<PendingSignUp | null> {
    const rows = await this.transactions.manager.query<PendingSignUp[]>(
      `SELECT ${COLUMNS} FROM pending_signups WHERE id = $1`,
      [id],
    );
    return rows[0] ?? null;
  }

  async findNewest(email: string): Promise<PendingSignUp | null> {
    const rows = await this.transactions.manager.query<PendingSignUp[]>(
      `SELECT ${COLUMNS} FROM pending_signups WHERE email = $1 ORDER BY created_at DESC, id DESC LIMIT 1`,
      [email],
    );
    return rows[0] ?? null;
  }

  /** Whether no other sign-up is pending for its address. */
  async isAlone({ id, email }: PendingSignUp): Promise<boolean> {
    const rows = await this.transactions.manager.query<unknown[]>(
      'SELECT 1 FROM pending_signups WHERE email = $1 AND id <> $2 LIMIT 1',
      [email, id],
    );
    return rows.length === 0;
  }

  async remove(id: string): Promise<void> {
    await this.transactions.manager.query('DELETE FROM pending_signups WHERE id = $1', [id]);
  }

  async removeAll(email: string): Promise<void> {
    await this.transactions.manager.query('DELETE FROM pending_signups WHERE email = $1', [email]);
  }
}

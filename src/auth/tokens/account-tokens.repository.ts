import { Injectable } from '@nestjs/common';
import { Transactions } from '../../platform/database/transactions.js';

export type TokenPurpose = 'verify' | 'reset';

/** What a token is for: a user or a pending sign-up, by id, and its canonical address. */
export interface TokenSubject {
  readonly subjectId: string;
  readonly email: string;
}

const SUBJECT = 'subject_id AS "subjectId", email';

/** Stores verification and reset tokens as SHA-256 (S-9). */
@Injectable()
export class AccountTokensRepository {
  constructor(private readonly transactions: Transactions) {}

  async insert(hash: Buffer, purpose: TokenPurpose, subject: TokenSubject, lifeMs: number): Promise<void> {
    await this.transactions.manager.query(
      `INSERT INTO account_tokens (token_hash, purpose, subject_id, email, expires_at)
       VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5))`,
      [hash, purpose, subject.subjectId, subject.email, lifeMs / 1_000],
    );
  }

  async find(hash: Buffer, purpose: TokenPurpose): Promise<TokenSubject | null> {
    const rows = await this.transactions.manager.query<TokenSubject[]>(
      `SELECT ${SUBJECT} FROM account_tokens
       WHERE token_hash = $1 AND purpose = $2 AND used_at IS NULL AND expires_at > now()`,
      [hash, purpose],
    );
    return rows[0] ?? null;
  }

  /** Uses a token up in one statement, so that of several calls at once only one receives the subject (S-9). */
  async consume(hash: Buffer, purpose: TokenPurpose): Promise<TokenSubject | null> {
    const { rows } = await this.transactions.modify<TokenSubject>(
      `UPDATE account_tokens SET used_at = now()
       WHERE token_hash = $1 AND purpose = $2 AND used_at IS NULL AND expires_at > now()
       RETURNING ${SUBJECT}`,
      [hash, purpose],
    );
    return rows[0] ?? null;
  }

  /** Ends the unused tokens of one purpose that belong to other subjects of an address. */
  async voidOthers({ subjectId, email }: TokenSubject, purpose: TokenPurpose): Promise<void> {
    await this.transactions.manager.query(
      `UPDATE account_tokens SET used_at = now()
       WHERE email = $1 AND purpose = $2 AND subject_id <> $3 AND used_at IS NULL`,
      [email, purpose, subjectId],
    );
  }

  /** Ends all unused tokens of an address, or only the tokens of one purpose. */
  async voidAll(email: string, purpose: TokenPurpose | null): Promise<void> {
    await this.transactions.manager.query(
      `UPDATE account_tokens SET used_at = now()
       WHERE email = $1 AND ($2::text IS NULL OR purpose = $2) AND used_at IS NULL`,
      [email, purpose],
    );
  }
}

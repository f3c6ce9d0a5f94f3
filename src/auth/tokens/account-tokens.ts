import { Injectable } from '@nestjs/common';
import { sha256 } from '../../platform/crypto/digests.js';
import { randomToken } from '../../platform/secrets/random.js';
import { Secret } from '../../platform/secrets/secret.js';
import { Transactions } from '../../platform/database/transactions.js';
import { AppError } from '../../platform/errors/app-error.js';
import { UsersService } from '../../users/users.service.js';
import { AccountTokensRepository, type TokenPurpose, type TokenSubject } from './account-tokens.repository.js';

const TOKEN_BYTES = 32;
const LIFE_MS: Readonly<Record<TokenPurpose, number>> = { verify: 24 * 3_600_000, reset: 30 * 60_000 };

/**
 * The same answer for a token that is unknown, used, expired or of the other purpose, and for a subject that is gone
 * (S-9).
 */
export function invalidToken(): AppError {
  return new AppError('invalid_token', 'This link is not valid any more. Ask for a new one.');
}

/** The tokens in verification and reset mails (S-9). */
@Injectable()
export class AccountTokens {
  constructor(
    private readonly tokens: AccountTokensRepository,
    private readonly transactions: Transactions,
    private readonly users: UsersService,
  ) {}

  /**
   * Makes a token. A reset token ends older reset tokens (S-9); a verification token ends those of other sign-ups for its
   * address (S-55).
   */
  async issue(purpose: TokenPurpose, subject: TokenSubject): Promise<Secret> {
    const token = new Secret(randomToken(TOKEN_BYTES));
    await this.transactions.run(async () => {
      await this.users.lockByEmail(subject.email);
      if (purpose === 'reset') await this.tokens.voidAll(subject.email, 'reset');
      else await this.tokens.voidOthers(subject, purpose);
      await this.tokens.insert(sha256(token.reveal()), purpose, subject, LIFE_MS[purpose]);
    });
    return token;
  }

  /** The subject of a token, without using it up; throws `invalid_token`. */
  async check(purpose: TokenPurpose, token: string): Promise<TokenSubject> {
    return (await this.tokens.find(sha256(token), purpose)) ?? Promise.reject(invalidToken());
  }

  /**
   * Uses a token up, once, and makes `change` for its subject in the same transaction, which holds the address. Throws
   * `invalid_token`.
   */
  redeem<T>(purpose: TokenPurpose, token: string, change: (subject: TokenSubject) => Promise<T>): Promise<T> {
    return this.transactions.run(async () => {
      const { email } = await this.check(purpose, token);
      await this.users.lockByEmail(email);
      const subject = await this.tokens.consume(sha256(token), purpose);
      if (subject === null) throw invalidToken();
      return change(subject);
    });
  }

  /** Ends the tokens of an address: all, or only the tokens of one purpose. */
  async voidAll(email: string, purpose: TokenPurpose | null = null): Promise<void> {
    await this.tokens.voidAll(email, purpose);
  }
}

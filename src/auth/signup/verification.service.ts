import { Injectable } from '@nestjs/common';
import { Transactions } from '../../platform/database/transactions.js';
import { type SignedIn, SessionStarter } from '../sessions/session-starter.js';
import { AccountTokens } from '../tokens/account-tokens.js';
import { VerifiedAccounts } from './verified-accounts.js';

/** `POST /auth/verify-email` (specification 4.3, S-9, S-10). */
@Injectable()
export class VerificationService {
  constructor(
    private readonly tokens: AccountTokens,
    private readonly accounts: VerifiedAccounts,
    private readonly sessions: SessionStarter,
    private readonly transactions: Transactions,
  ) {}

  /** Throws `invalid_token`. */
  verify(token: string): Promise<SignedIn> {
    return this.transactions.run(async () => {
      const subject = await this.tokens.consume('verify', token);
      const user = await this.accounts.settle(subject);
      await this.tokens.voidAll(subject.email, 'verify');
      return this.sessions.start(user);
    });
  }
}

import { Injectable } from '@nestjs/common';
import { PasswordHasher } from '../../platform/crypto/password-hasher.js';
import { Transactions } from '../../platform/database/transactions.js';
import { AccountTokens } from '../tokens/account-tokens.js';
import { assertStrongPassword } from '../password-policy/password-policy.js';
import { ResetAccounts } from './reset-accounts.js';

/** `POST /auth/reset-password` (specification 4.5, S-9, S-24). */
@Injectable()
export class PasswordResetService {
  constructor(
    private readonly tokens: AccountTokens,
    private readonly hasher: PasswordHasher,
    private readonly accounts: ResetAccounts,
    private readonly transactions: Transactions,
  ) {}

  /** Throws `invalid_token` before the password is looked at, and `weak_password` without using the token up. */
  async reset(token: string, newPassword: string): Promise<void> {
    const { email } = await this.tokens.check('reset', token);
    assertStrongPassword(newPassword, email);
    const passwordHash = await this.hasher.hash(newPassword);
    await this.transactions.run(async () => {
      await this.accounts.settle(await this.tokens.consume('reset', token), passwordHash);
    });
    await this.accounts.waitForKeyCacheExpiry();
  }
}

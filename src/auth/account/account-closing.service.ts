import { Injectable } from '@nestjs/common';
import { Transactions } from '../../platform/database/transactions.js';
import type { User } from '../../users/users.service.js';
import { PasswordCheck } from '../passwords/password-check.js';
import { AccountAssets } from './account-assets.js';
import { AccountRemoval } from './account-removal.js';

/** `DELETE /account` (DESIGN 4). */
@Injectable()
export class AccountClosingService {
  constructor(
    private readonly check: PasswordCheck,
    private readonly removal: AccountRemoval,
    private readonly assets: AccountAssets,
    private readonly transactions: Transactions,
  ) {}

  /** For the operator: without asking anybody. */
  async remove(user: User): Promise<void> {
    await this.transactions.run(() => this.removal.remove(user));
    await this.assets.settle();
  }

  /** Removes everything and ends the API key before it returns. Throws `invalid_credentials`. */
  async close(userId: string, password: string): Promise<void> {
    const confirmed = await this.check.confirm(userId, password);
    await this.transactions.run(() => this.removal.removeConfirmed(confirmed));
    await this.assets.settle();
  }
}

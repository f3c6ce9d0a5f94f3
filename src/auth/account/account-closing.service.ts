import { Injectable } from '@nestjs/common';
import type { SessionPrincipal } from '../../access/principal.js';
import { SessionWrites } from '../../access/session-writes.js';
import type { User } from '../../users/users.service.js';
import { PasswordCheck } from '../passwords/password-check.js';
import { AccountContents } from '../contents/account-contents.js';
import { AccountRemoval } from './account-removal.js';

/** `DELETE /account` (DESIGN 4). */
@Injectable()
export class AccountClosingService {
  constructor(
    private readonly check: PasswordCheck,
    private readonly removal: AccountRemoval,
    private readonly contents: AccountContents,
    private readonly writes: SessionWrites,
  ) {}

  /** For the operator: without asking anybody. */
  async remove(user: User): Promise<void> {
    await this.removal.remove(user);
    await this.contents.waitForKeyCacheExpiry();
  }

  /** Removes everything and ends the API key before it returns. Throws `invalid_credentials`. */
  async close(caller: SessionPrincipal, password: string): Promise<void> {
    await this.check.before(caller.userId, password, (confirmed) =>
      this.writes.run(caller, () => this.removal.removeConfirmed(confirmed)),
    );
    await this.contents.waitForKeyCacheExpiry();
  }
}

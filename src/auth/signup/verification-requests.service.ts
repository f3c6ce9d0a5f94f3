import { Injectable } from '@nestjs/common';
import type { SessionPrincipal } from '../../access/principal.js';
import { SessionWrites } from '../../access/session-writes.js';
import { sha256 } from '../../platform/crypto/digests.js';
import { DurableLimits } from '../../platform/limits/durable-limits.repository.js';
import { rateLimited, type RatePolicy } from '../../platform/limits/rate.js';
import { UsersService } from '../../users/users.service.js';
import { AccountMails } from '../mails/account-mails.js';

const HOUR_MS = 3_600_000;
/** Counted by address, so that a user who deletes the account and signs up again begins no new count. */
const LIMITS: readonly RatePolicy[] = [
  { name: 'verification:hour', limit: 3, windowMs: HOUR_MS },
  { name: 'verification:day', limit: 10, windowMs: 24 * HOUR_MS },
];

/** `POST /account/verification` (contract.md 4): another mail to the own address that is still to be proved. */
@Injectable()
export class VerificationRequestsService {
  constructor(
    private readonly users: UsersService,
    private readonly limits: DurableLimits,
    private readonly mails: AccountMails,
    private readonly writes: SessionWrites,
  ) {}

  /** Asks for the mail; false where the address is verified already, and none is sent. Throws `rate_limited`. */
  async ask(caller: SessionPrincipal): Promise<boolean> {
    const user = await this.users.get(caller.userId);
    if (user.emailVerifiedAt !== null) return false;
    await this.#count(user.email);
    await this.writes.run(caller, () => this.mails.askForVerificationAgain(user));
    return true;
  }

  /** Counts a request by address. These limits are never switched off, like all limits of mails (S-55). */
  async #count(email: string): Promise<void> {
    const address = sha256(email).toString('base64url');
    for (const policy of LIMITS) {
      const state = await this.limits.consume(policy, address);
      if (state.isExceeded) throw rateLimited(state);
    }
  }
}

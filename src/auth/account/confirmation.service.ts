import { Injectable } from '@nestjs/common';
import type { SessionPrincipal } from '../../access/principal.js';
import { SessionWrites } from '../../access/session-writes.js';
import { UsersService } from '../../users/users.service.js';
import type { OAuthCode } from '../oauth/oauth-provider.js';
import { ProviderProof } from '../oauth/provider-proof.js';
import { PasswordCheck } from '../passwords/password-check.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';

/** What somebody proves with who they are. */
export type Proof =
  | { readonly password: string }
  | {
      /** The id of a sign-in provider. */
      readonly provider: string;
      readonly code: OAuthCode;
    };

/** `POST /account/confirm`: the person of a session proves anew who they are (S-59). */
@Injectable()
export class ConfirmationService {
  constructor(
    private readonly passwords: PasswordCheck,
    private readonly proofs: ProviderProof,
    private readonly users: UsersService,
    private readonly sessions: SessionsRepository,
    private readonly writes: SessionWrites,
  ) {}

  /**
   * By the password; throws `invalid_credentials`, also where none is set, and `rate_limited`. Or by a provider; throws as
   * `ProviderProof.check`.
   */
  async confirm(caller: SessionPrincipal, proof: Proof): Promise<void> {
    await ('password' in proof
      ? this.#byPassword(caller, proof.password)
      : this.#byProvider(caller, proof.provider, proof.code));
  }

  async #byPassword(caller: SessionPrincipal, password: string): Promise<void> {
    await this.passwords.before(caller, password, ({ user, passwordHash }) =>
      this.writes.run(caller, async () => {
        if (!(await this.users.holdPassword(user.id, passwordHash))) return false;
        await this.sessions.markConfirmed(caller.sessionId);
        return true;
      }),
    );
  }

  async #byProvider(caller: SessionPrincipal, provider: string, code: OAuthCode): Promise<void> {
    await this.proofs.check(caller, provider, code);
    await this.writes.run(caller, () => this.sessions.markConfirmed(caller.sessionId));
  }
}

import { Injectable } from '@nestjs/common';
import { PasswordHasher } from '../../platform/crypto/password-hasher.js';
import { Transactions } from '../../platform/database/transactions.js';
import { AccountMails } from '../mails/account-mails.js';
import { assertStrongPassword } from '../password-policy/password-policy.js';
import { type SignedIn, SessionStarter } from '../sessions/session-starter.js';
import { NewAccounts, signUpNotAllowed } from './new-accounts.js';
import { WhitelistService } from './whitelist.service.js';

/** What somebody sends to get an account; the address is canonical. */
interface SignUp {
  readonly email: string;
  readonly name: string;
  readonly password: string;
}

/** The same, once its password is accepted and hashed. */
interface CheckedSignUp {
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string;
}

/** `POST /auth/signup` in both access modes (specification.md 4.1). */
@Injectable()
export class SignUpService {
  constructor(
    private readonly whitelist: WhitelistService,
    private readonly hasher: PasswordHasher,
    private readonly accounts: NewAccounts,
    private readonly mails: AccountMails,
    private readonly sessions: SessionStarter,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Returns the id of a pending sign-up, or a session. Throws `weak_password`, `signup_not_allowed`,
   * `service_unavailable`.
   */
  async signUp({ email, name, password }: SignUp): Promise<SignedIn | string> {
    assertStrongPassword(password, email);
    const signUp = { email, name, passwordHash: await this.hasher.hash(password, { share: 'sign_up' }) };
    return this.transactions.run<SignedIn | string>(() =>
      this.whitelist.isOpenMode ? this.#ask(signUp) : this.#enter(signUp),
    );
  }

  /**
   * Open mode writes the same rows for every address, known or not; what mail becomes of it is decided later, so that
   * neither body nor time shows whether the address is known (S-6, S-7, S-10).
   */
  async #ask(signUp: CheckedSignUp): Promise<string> {
    const id = await this.accounts.addPending(signUp);
    await this.mails.askForSignUp(signUp.email, id);
    return id;
  }

  /**
   * Whitelist mode makes an account and a session at once, with the address still to be proved (specification.md 3, S-13);
   * it refuses an address that is not approved and one that is taken alike (S-7).
   */
  async #enter(signUp: CheckedSignUp): Promise<SignedIn> {
    const user = await this.accounts.create(signUp);
    if (user === null) throw signUpNotAllowed();
    await this.mails.askForVerification(user);
    return this.sessions.start(user);
  }
}

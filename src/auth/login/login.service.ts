import { Injectable } from '@nestjs/common';
import { ActivityService } from '../../activity/activity.service.js';
import { type HashTurn, PasswordHasher } from '../../platform/crypto/password-hasher.js';
import { Transactions } from '../../platform/database/transactions.js';
import { AppError } from '../../platform/errors/app-error.js';
import { currentRequest } from '../../platform/http/request-context.js';
import { networkOf } from '../../platform/limits/client-network.js';
import { type User, UsersService } from '../../users/users.service.js';
import { LogInLimits } from '../limits/login-limits.js';
import { AccountMails } from '../mails/account-mails.js';
import { KnownDevicesRepository } from '../sessions/known-devices.repository.js';
import { type SignedIn, SessionStarter } from '../sessions/session-starter.js';
import { type PendingSignUp, PendingSignUpsRepository } from '../tokens/pending-signups.repository.js';

/** A stored form is renewed once, so that the second attempt meets it; the third is for a change of the password. */
const MAX_ATTEMPTS = 3;
const RETRY_AFTER_SECONDS = 1;

/** Whose password a log-in is checked against; `passwordHash` is null where there is none. */
interface Subject {
  readonly passwordHash: string | null;
  readonly user: User | null;
  readonly signUp: PendingSignUp | null;
}

/** A subject, and how the check of its password waits. */
interface WaitingSubject extends Subject {
  readonly turn: HashTurn;
}

/** What follows once the password is checked. */
@Injectable()
export class LogInOutcomes {
  constructor(
    private readonly sessions: SessionStarter,
    private readonly mails: AccountMails,
    private readonly activity: ActivityService,
    private readonly transactions: Transactions,
  ) {}

  /** Starts a session; null where this is not the user's stored password any more, or the user is disabled. */
  succeed(user: User, passwordHash: string): Promise<SignedIn | null> {
    return this.transactions.run(async () => {
      const started = await this.sessions.startByPassword(user, passwordHash);
      if (started === null) return null;
      await this.activity.record({
        type: 'login',
        userId: user.id,
        details: { provider: 'email', new_device: started.isNewDevice },
      });
      return started;
    });
  }

  /** Throws `invalid_credentials`, the same for every reason (S-5). */
  async fail(user: User | null): Promise<never> {
    await this.activity.record({ type: 'login_failed', userId: user?.id ?? null });
    throw new AppError('invalid_credentials', 'The e-mail address or the password is wrong.');
  }

  /** For the right password of a pending sign-up: asks for another mail (contract.md 3) and throws `email_not_verified`. */
  async remind(signUp: PendingSignUp): Promise<never> {
    await this.mails.askForSignUp(signUp.email, signUp.id);
    throw new AppError(
      'email_not_verified',
      'Your address is not verified yet. Follow the link in your mail; a new one is on its way.',
    );
  }
}

/** `POST /auth/login` (specification.md 4.2). */
@Injectable()
export class LogInService {
  constructor(
    private readonly users: UsersService,
    private readonly pending: PendingSignUpsRepository,
    private readonly hasher: PasswordHasher,
    private readonly outcomes: LogInOutcomes,
    private readonly limits: LogInLimits,
    private readonly devices: KnownDevicesRepository,
  ) {}

  /** Throws `invalid_credentials`, `email_not_verified`, `rate_limited`. */
  logIn(email: string, password: string): Promise<SignedIn> {
    return this.limits.count(email, () => this.#check(email, password));
  }

  /** Tries again where the stored form of a right password changed while it was checked: another log-in has renewed it. */
  async #check(email: string, password: string): Promise<SignedIn> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const signedIn = await this.#attempt(email, password);
      if (signedIn !== null) return signedIn;
    }
    throw new AppError('service_unavailable', 'Your password is being changed. Try again shortly.', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }

  /** Checks exactly one hash, also for an unknown address (S-5). Returns null where the stored hash has changed meanwhile. */
  async #attempt(email: string, password: string): Promise<SignedIn | null> {
    const { user, signUp, passwordHash, turn } = await this.#find(email);
    const matches = await this.hasher.verify(password, passwordHash, turn);
    if (!matches || passwordHash === null) return this.outcomes.fail(user);
    if (signUp !== null) return this.outcomes.remind(signUp);
    if (user?.disabledAt !== null) return this.outcomes.fail(user);
    const stored = await this.#renew(user.id, { stored: passwordHash, password, turn });
    return stored === null ? null : this.outcomes.succeed(user, stored);
  }

  /** The user, else the newest pending sign-up, else nobody; always the same queries (S-5). */
  async #find(email: string): Promise<WaitingSubject> {
    const network = networkOf(currentRequest()?.ip ?? '');
    const [found, signUp, isKnown] = await Promise.all([
      this.users.findForLogIn(email),
      this.pending.findNewest(email),
      this.devices.isKnownNetwork(email, network),
    ]);
    const turn: HashTurn = isKnown ? { share: 'known', account: email } : { share: 'log_in' };
    if (found === null) return { passwordHash: signUp?.passwordHash ?? null, user: null, signUp, turn };
    const { passwordHash, ...user } = found;
    return { passwordHash, user, signUp: null, turn };
  }

  /** Stores the password in today's form where it is not yet (S-2); null where the stored one changed meanwhile. */
  async #renew(
    userId: string,
    { stored, password, turn }: { readonly stored: string; readonly password: string; readonly turn: HashTurn },
  ): Promise<string | null> {
    if (!this.hasher.isOutdated(stored)) return stored;
    const renewed = await this.hasher.hash(password, turn);
    return (await this.users.renewPasswordHash(userId, stored, renewed)) ? renewed : null;
  }
}

import { Injectable } from '@nestjs/common';
import { PasswordHasher } from '../../platform/crypto/password-hasher.js';
import type { SignedIn } from '../sessions/sessions.service.js';
import { LogInLimits } from '../limits/login-limits.js';
import { LogInOutcomes } from './login-outcomes.js';
import { type LogInSubject, LogInSubjects } from './login-subjects.js';

/** `POST /auth/login` (specification 4.2). */
@Injectable()
export class LogInService {
  constructor(
    private readonly subjects: LogInSubjects,
    private readonly hasher: PasswordHasher,
    private readonly outcomes: LogInOutcomes,
    private readonly limits: LogInLimits,
  ) {}

  /** Throws `invalid_credentials`, `email_not_verified`, `rate_limited`. */
  logIn(email: string, password: string): Promise<SignedIn> {
    return this.limits.count(email, () => this.#check(email, password));
  }

  /** Exactly one hash is checked, whoever is meant (S-5). */
  async #check(email: string, password: string): Promise<SignedIn> {
    const subject = await this.subjects.find(email);
    const { user, signUp, passwordHash } = subject;
    const matches = await this.hasher.verify(password, passwordHash);
    if (!matches || passwordHash === null) return this.outcomes.fail(user);
    if (signUp !== null) return this.outcomes.remind(signUp);
    if (user?.disabledAt !== null) return this.outcomes.fail(user ?? null);
    return this.outcomes.succeed(user, await this.#renew(subject, passwordHash, password));
  }

  /** The stored form of the password from now on. */
  async #renew(subject: LogInSubject, stored: string, password: string): Promise<string> {
    if (!this.hasher.isOutdated(stored)) return stored;
    const renewed = await this.hasher.hash(password);
    await this.subjects.renew(subject, renewed);
    return renewed;
  }
}

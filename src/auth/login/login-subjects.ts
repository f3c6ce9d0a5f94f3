import { Injectable } from '@nestjs/common';
import { type User, UsersService } from '../../users/users.service.js';
import { type PendingSignUp, PendingSignUpsRepository } from '../tokens/pending-signups.repository.js';

/** Whose password a log-in is checked against; `passwordHash` is null where there is none. */
export interface LogInSubject {
  readonly passwordHash: string | null;
  readonly user: User | null;
  readonly signUp: PendingSignUp | null;
}

/** Finds who may be meant by an address. */
@Injectable()
export class LogInSubjects {
  constructor(
    private readonly users: UsersService,
    private readonly pending: PendingSignUpsRepository,
  ) {}

  /** The account, else the newest sign-up that waits, else nobody; always the same queries (S-5). */
  async find(email: string): Promise<LogInSubject> {
    const [account, signUp] = await Promise.all([this.users.findForLogIn(email), this.pending.findNewest(email)]);
    if (account === null) return { passwordHash: signUp?.passwordHash ?? null, user: null, signUp };
    const { passwordHash, ...user } = account;
    return { passwordHash, user, signUp: null };
  }

  /** Stores the same password in today's form (S-2); false where the stored one changed meanwhile. */
  async renew({ user, passwordHash }: LogInSubject, newHash: string): Promise<boolean> {
    if (user === null || passwordHash === null) return false;
    return this.users.renewPasswordHash(user.id, passwordHash, newHash);
  }
}

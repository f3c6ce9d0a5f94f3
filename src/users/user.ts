import { ulid } from 'ulid';

/** One account, without its password hash. */
export interface User {
  /** `usr_` + 26 characters, time-ordered. */
  readonly id: string;
  /** Canonical (S-8). */
  readonly email: string;
  readonly name: string;
  readonly avatarUrl: string | null;
  readonly role: string;
  readonly emailVerifiedAt: Date | null;
  readonly disabledAt: Date | null;
  readonly createdAt: Date;
}

/** What an account starts with. */
export interface NewUser {
  readonly id?: string;
  readonly email: string;
  readonly name: string;
  readonly avatarUrl?: string | null;
  readonly passwordHash?: string | null;
  readonly emailVerifiedAt?: Date | null;
}

/** How a person appears. */
export type Appearance = Pick<User, 'name' | 'avatarUrl'>;

/** For somebody who has not told yet: the first part of his canonical address. */
export function nameOf(email: string): string {
  return email.slice(0, email.indexOf('@'));
}

/** An account at an OAuth provider. */
export interface Identity {
  readonly provider: string;
  readonly subject: string;
}

/** An id for an account to be (DESIGN 1). */
export function newUserId(): string {
  return `usr_${ulid()}`;
}

import { ulid } from 'ulid';
import type { SessionPrincipal } from '../access/principal.js';

/** One user, without the password hash. */
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

/** What answers that sign in tell of a user. */
export type SignedInUser = Pick<User, 'id' | 'email' | 'name' | 'avatarUrl' | 'role'>;

/** A user, and what signs them in: `email` is a password. */
export type Profile = Pick<User, 'id' | 'email' | 'name' | 'avatarUrl' | 'createdAt'> & {
  readonly isEmailVerified: boolean;
  readonly providers: readonly string[];
};

/** A signed-in person, with the profile that was read together with the session. */
export interface SignedInCaller extends SessionPrincipal {
  readonly profile: Profile;
}

/** What a user starts with. */
export interface NewUser {
  readonly id?: string;
  readonly email: string;
  readonly name: string;
  readonly avatarUrl?: string | null;
  readonly passwordHash?: string | null;
  readonly emailVerifiedAt?: Date | null;
}

/** How a user appears. */
export type Appearance = Pick<User, 'name' | 'avatarUrl'>;

/** The name of a user who has set none: the first part of the canonical address. */
export function nameOf(email: string): string {
  return email.slice(0, email.indexOf('@'));
}

/** A user's account at a sign-in provider, by the provider's own subject. */
export interface Identity {
  readonly provider: string;
  readonly subject: string;
}

/** Makes the id of a new user, or of one to be (contract.md 1). */
export function newUserId(): string {
  return `usr_${ulid()}`;
}

import { Injectable } from '@nestjs/common';
import type { SessionPrincipal } from '../access/principal.js';
import { SessionWrites } from '../access/session-writes.js';
import { AppError } from '../platform/errors/app-error.js';
import type { ProfileChangesDto, ProfileDto } from './profile.dto.js';
import {
  type Appearance,
  type Identity,
  newUserId,
  type NewUser,
  type Profile,
  type SignedInCaller,
  type User,
} from './user.js';
import { UsersRepository } from './users.repository.js';

export { nameOf, newUserId } from './user.js';
export type { Appearance, Identity, NewUser, SignedInCaller, SignedInUser, User } from './user.js';

/** Users: who they are and what signs them in (contract.md 4). */
@Injectable()
export class UsersService {
  constructor(
    private readonly users: UsersRepository,
    private readonly writes: SessionWrites,
  ) {}

  find(id: string): Promise<User | null> {
    return this.users.find(id);
  }

  /** Throws `not_found`. */
  async get(id: string): Promise<User> {
    return (await this.users.find(id)) ?? missing();
  }

  /** `email` is canonical. */
  findByEmail(email: string): Promise<User | null> {
    return this.users.findByEmail(email);
  }

  /**
   * Returns the user as findByEmail, and locks the address: nobody else makes or changes its user until the transaction
   * ends. Take this lock before every other lock of the transaction.
   */
  lockByEmail(email: string): Promise<User | null> {
    return this.users.findByEmailForUpdate(email);
  }

  findByIdentity({ provider, subject }: Identity): Promise<User | null> {
    return this.users.findByIdentity(provider, subject);
  }

  /** Null where no password is set, or no such user exists. */
  findPasswordHash(id: string): Promise<string | null> {
    return this.users.findPasswordHash(id);
  }

  /** Null where the address is taken: one user an address. */
  async create(user: NewUser): Promise<User | null> {
    const id = user.id ?? newUserId();
    return (await this.users.insert({ ...user, id })) ? this.users.find(id) : null;
  }

  /** The user with the password hash, which is null where no password is set. */
  findForLogIn(email: string): Promise<(User & { readonly passwordHash: string | null }) | null> {
    return this.users.findWithPasswordHash(email);
  }

  /** Only while the old hash still stands; else false. */
  renewPasswordHash(id: string, from: string, to: string): Promise<boolean> {
    return this.users.replacePasswordHash(id, from, to);
  }

  /**
   * Whether this is still the password hash of a user who is not disabled; it then stays so until the transaction ends, so
   * that no log-in starts a session behind a change that ends all sessions (S-24).
   */
  holdPassword(id: string, passwordHash: string): Promise<boolean> {
    return this.users.holdPassword(id, passwordHash);
  }

  /** Oldest first. */
  list(): Promise<User[]> {
    return this.users.list();
  }

  /** A disabled user's tokens and keys are refused from now on. */
  async setDisabled(id: string, disabledAt: Date | null): Promise<void> {
    await this.users.change(id, { disabledAt });
  }

  /** Removes the user; the database removes all that refers to it. */
  async remove(id: string): Promise<void> {
    await this.users.remove(id);
  }

  async setPassword(id: string, passwordHash: string | null): Promise<void> {
    await this.users.change(id, { passwordHash });
  }

  async markEmailVerified(id: string): Promise<void> {
    await this.users.markEmailVerified(id);
  }

  /** False where the identity is linked already. */
  link(userId: string, identity: Identity): Promise<boolean> {
    return this.users.addIdentity({ ...identity, userId });
  }

  /** As part of a greater change; the owner's own changes go through changeProfile. */
  async setAppearance(id: string, { name, avatarUrl }: Appearance): Promise<void> {
    await this.users.change(id, { name, avatarUrl });
  }

  async unlinkAll(userId: string): Promise<void> {
    await this.users.removeIdentities(userId);
  }

  /**
   * The user of a session that may be used, with the profile, in one statement; null where there is none. Read at every use of an
   * access token, never cached (S-17).
   */
  async findSignedIn(userId: string, sessionId: string): Promise<SignedInCaller | null> {
    const found = await this.users.findProfileOfSession(userId, sessionId);
    if (found === null) return null;
    const { isConfirmed, ...profile } = found;
    return { kind: 'session', userId, sessionId, isConfirmed, profile };
  }

  /** Returns which of these sessions may still be used (S-17), by their ids. */
  findLiveSessions(ids: readonly string[]): Promise<ReadonlySet<string>> {
    return this.users.findLiveSessions(ids);
  }

  /** The Profile of specification.md 2.2. */
  getProfile({ profile }: SignedInCaller): ProfileDto {
    return toProfileDto(profile);
  }

  /** Changes only the fields that are sent (contract.md 4); throws `not_found`. */
  async changeProfile(caller: SessionPrincipal, changes: ProfileChangesDto): Promise<ProfileDto> {
    const { display_name: name, avatar_url: avatarUrl } = changes;
    if (name !== undefined || avatarUrl !== undefined) {
      const given = { ...(name === undefined ? {} : { name }), ...(avatarUrl === undefined ? {} : { avatarUrl }) };
      await this.writes.run(caller, () => this.users.change(caller.userId, given));
    }
    return toProfileDto((await this.users.findProfile(caller.userId)) ?? missing());
  }
}

function missing(): never {
  throw new AppError('not_found', 'There is no such account.');
}

function toProfileDto(user: Profile): ProfileDto {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    avatar_url: user.avatarUrl,
    email_verified: user.isEmailVerified,
    providers: [...new Set(user.providers)],
    created_at: user.createdAt.toISOString(),
  };
}

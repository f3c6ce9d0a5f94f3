import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { AccountLocksRepository, CONFIRMED_SESSION, LIVE_SESSION } from '../access/account-locks.repository.js';
import type { SessionPrincipal } from '../access/principal.js';
import { Transactions } from '../platform/database/transactions.js';
import { IdentityEntity } from './identity.entity.js';
import { UserEntity } from './user.entity.js';
import type { NewUser, Profile, User } from './user.js';

/** What may change of a user. */
export type UserChanges = Partial<
  Pick<UserEntity, 'name' | 'avatarUrl' | 'passwordHash' | 'emailVerifiedAt' | 'disabledAt'>
>;

/** The columns of a profile, for queries over `users account`; a password first, then each provider, the oldest first. */
const PROFILE = `account.id, account.email, account.name, account.avatar_url AS "avatarUrl",
  account.email_verified_at IS NOT NULL AS "isEmailVerified", account.created_at AS "createdAt",
  CASE WHEN account.password_hash IS NULL THEN ARRAY[]::text[] ELSE ARRAY['email'] END
    || ARRAY(SELECT identity.provider FROM user_identities identity
             WHERE identity.user_id = account.id GROUP BY identity.provider ORDER BY min(identity.created_at)) AS providers`;

/**
 * Changes of orders, in the order in which their end takes these locks, so that the two do not deadlock; then tables with many rows of a
 * user who sends many orders.
 */
const REMOVED_FIRST = ['order_amends', 'idempotency_keys', 'placements'];
const BATCH = 50_000;

/** Stores users and the identities that sign them in. */
@Injectable()
export class UsersRepository {
  constructor(
    private readonly transactions: Transactions,
    private readonly locks: AccountLocksRepository,
  ) {}

  find(id: string): Promise<UserEntity | null> {
    return this.#users.findOneBy({ id });
  }

  findByEmail(email: string): Promise<UserEntity | null> {
    return this.#users.findOneBy({ email });
  }

  /** Holds the address and the row until the transaction ends, so that two who change the user take turns. */
  async findByEmailForUpdate(email: string): Promise<UserEntity | null> {
    await this.locks.byAddress(email);
    return this.#users.findOne({ where: { email }, lock: { mode: 'pessimistic_write' } });
  }

  async findByIdentity(provider: string, subject: string): Promise<UserEntity | null> {
    const identity = await this.#identities.findOneBy({ provider, subject });
    return identity === null ? null : this.find(identity.userId);
  }

  async findPasswordHash(id: string): Promise<string | null> {
    const user = await this.#users.findOne({ where: { id }, select: { id: true, passwordHash: true } });
    return user?.passwordHash ?? null;
  }

  /** One raw query: to build an entity takes longer than to find none, and the time of a log-in would show that (S-5). */
  async findWithPasswordHash(email: string): Promise<(User & { passwordHash: string | null }) | null> {
    const rows = await this.transactions.manager.query<(User & { passwordHash: string | null })[]>(
      `SELECT id, email, name, avatar_url AS "avatarUrl", role, email_verified_at AS "emailVerifiedAt",
         disabled_at AS "disabledAt", created_at AS "createdAt", password_hash AS "passwordHash"
       FROM users WHERE email = $1`,
      [email],
    );
    return rows[0] ?? null;
  }

  /**
   * Holds the row as it is until the transaction ends; false where the password changed or the user was disabled
   * meanwhile.
   */
  async holdPassword(id: string, passwordHash: string): Promise<boolean> {
    const rows = await this.transactions.manager.query<unknown[]>(
      'SELECT 1 FROM users WHERE id = $1 AND password_hash = $2 AND disabled_at IS NULL FOR SHARE',
      [id, passwordHash],
    );
    return rows.length === 1;
  }

  /** Only while the old hash still stands, so that a password that was changed meanwhile stays changed. */
  async replacePasswordHash(id: string, from: string, to: string): Promise<boolean> {
    const { affected } = await this.#users.update({ id, passwordHash: from }, { passwordHash: to });
    return affected === 1;
  }

  /** False where the address is taken; two who try at once wait for each other. */
  async insert(user: NewUser & { readonly id: string }): Promise<boolean> {
    const { id, email, name, avatarUrl = null, passwordHash = null, emailVerifiedAt = null } = user;
    const rows = await this.transactions.manager.query<unknown[]>(
      `INSERT INTO users (id, email, name, avatar_url, password_hash, email_verified_at) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (email) DO NOTHING RETURNING id`,
      [id, email, name, avatarUrl, passwordHash, emailVerifiedAt],
    );
    return rows.length === 1;
  }

  async change(id: string, changes: UserChanges): Promise<boolean> {
    const { affected } = await this.#users.update({ id }, { ...changes, updatedAt: () => 'now()' });
    return affected === 1;
  }

  /** Keeps the time of the first verification. */
  async markEmailVerified(id: string): Promise<void> {
    await this.#users.update({ id, emailVerifiedAt: IsNull() }, { emailVerifiedAt: () => 'now()' });
  }

  /**
   * With all that refers to the user. Needs a transaction, which takes the lock of sendings first, as the deletion of the user itself
   * would. What may be a million rows goes in batches, so that no statement takes too long; the rest by foreign keys.
   */
  async remove(id: string): Promise<boolean> {
    await this.transactions.manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 2))', [id]);
    for (const table of REMOVED_FIRST) await this.#removeAll(table, id);
    const { affected } = await this.#users.delete({ id });
    return affected === 1;
  }

  list(): Promise<UserEntity[]> {
    return this.#users.find({ order: { createdAt: 'ASC', id: 'ASC' } });
  }

  async findProfile(id: string): Promise<Profile | null> {
    const rows = await this.transactions.manager.query<Profile[]>(
      `SELECT ${PROFILE} FROM users account WHERE account.id = $1`,
      [id],
    );
    return rows[0] ?? null;
  }

  /** Null where the session may not be used, or is of another user: asked with every request that an access token makes (S-17). */
  async findProfileOfSession(
    id: string,
    sessionId: string,
  ): Promise<(Profile & Pick<SessionPrincipal, 'isConfirmed'>) | null> {
    const rows = await this.transactions.manager.query<(Profile & Pick<SessionPrincipal, 'isConfirmed'>)[]>(
      `SELECT ${PROFILE}, ${CONFIRMED_SESSION} AS "isConfirmed" FROM sessions session JOIN users account ON account.id = session.user_id
       WHERE session.id = $2 AND session.user_id = $1 AND ${LIVE_SESSION}`,
      [id, sessionId],
    );
    return rows[0] ?? null;
  }

  /** Which of these sessions may be used (S-17). */
  async findLiveSessions(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.transactions.manager.query<{ id: string }[]>(
      `SELECT session.id FROM sessions session JOIN users account ON account.id = session.user_id
       WHERE session.id = ANY($1) AND ${LIVE_SESSION}`,
      [ids],
    );
    return new Set(rows.map(({ id }) => id));
  }

  async addIdentity({ provider, subject, userId }: Omit<IdentityEntity, 'createdAt'>): Promise<boolean> {
    const rows = await this.transactions.manager.query<unknown[]>(
      `INSERT INTO user_identities (provider, subject, user_id) VALUES ($1, $2, $3)
       ON CONFLICT (provider, subject) DO NOTHING RETURNING subject`,
      [provider, subject, userId],
    );
    return rows.length === 1;
  }

  async removeIdentities(userId: string): Promise<void> {
    await this.#identities.delete({ userId });
  }

  async #removeAll(table: string, userId: string): Promise<void> {
    for (let removed = BATCH; removed === BATCH;) {
      ({ count: removed } = await this.transactions.modify(
        // eslint-disable-next-line own/constant-sql -- a table of the list above
        `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE user_id = $1 LIMIT ${BATCH}))`,
        [userId],
      ));
    }
  }

  get #users() {
    return this.transactions.manager.getRepository(UserEntity);
  }

  get #identities() {
    return this.transactions.manager.getRepository(IdentityEntity);
  }
}

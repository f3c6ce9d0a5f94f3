import { Injectable } from '@nestjs/common';
import type { Scope, SessionPrincipal } from '../access/principal.js';
import { SessionWrites } from '../access/session-writes.js';
import { ActivityService } from '../activity/activity.service.js';
import { DailyLimitsService } from '../activity/daily-limits.service.js';
import { sha256 } from '../platform/crypto/digests.js';
import { AppError } from '../platform/errors/app-error.js';
import type { RatePolicy } from '../platform/limits/rate.js';
import type { ApiKeyEntity } from './api-key.entity.js';
import { ApiKeyCache } from './api-key-cache.js';
import { generateApiKey, prefixOf } from './api-key.format.js';
import { ApiKeysRepository } from './api-keys.repository.js';

/** Keys that a user may make a day (S-29). */
const MADE_A_DAY: RatePolicy = { name: 'api-keys:day', limit: 20, windowMs: 24 * 3_600_000 };
const DEFAULT_NAME = 'default';
const DEFAULT_SCOPES: readonly Scope[] = ['read'];

/** A key as it is shown once, at its creation. */
export interface CreatedApiKey {
  readonly key: string;
  readonly stored: ApiKeyEntity;
}

/** Main keys: one a user, of no bot, shown once, stored as SHA-256, revoked for good (specification.md 2.3, contract.md 6, S-28). */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly repository: ApiKeysRepository,
    private readonly cache: ApiKeyCache,
    private readonly writes: SessionWrites,
    private readonly activity: ActivityService,
    private readonly limits: DailyLimitsService,
  ) {}

  /** Makes the caller's key; throws `api_key_exists` where there is a live one, `rate_limited` above 20 a day (S-29). */
  async create(caller: SessionPrincipal, name = DEFAULT_NAME, scopes = DEFAULT_SCOPES): Promise<CreatedApiKey> {
    const { userId } = caller;
    const key = generateApiKey();
    const stored: ApiKeyEntity = {
      hash: sha256(key),
      prefix: prefixOf(key),
      userId,
      name,
      scopes: [...new Set(scopes)],
      createdAt: new Date(),
      lastUsedAt: null,
      revokedAt: null,
    };
    await this.limits.counted(MADE_A_DAY, userId, () => this.writes.run(caller, () => this.#insert(stored)));
    return { key, stored };
  }

  list(userId: string): Promise<ApiKeyEntity[]> {
    return this.repository.listLive(userId);
  }

  /** Ends a key for good; answers only when no instance accepts it any more (S-30). Unknown or another's: `not_found`. */
  async revoke(caller: SessionPrincipal, prefix: string): Promise<Date> {
    const { userId } = caller;
    const at = new Date();
    await this.writes.run(caller, async () => {
      if (!(await this.repository.revoke(userId, prefix, at))) {
        throw new AppError('not_found', 'You have no API key with this prefix.');
      }
      await this.activity.record({ type: 'api_key_revoked', userId, keyPrefix: prefix });
    });
    await this.cache.waitForKeyCacheExpiry();
    return at;
  }

  /**
   * Revokes the user's live key as part of a greater change, and returns its prefix, null where there is none. Call
   * `waitForKeyCacheExpiry` after its commit.
   */
  async revokeAny(userId: string): Promise<string | null> {
    const keyPrefix = await this.repository.revokeAny(userId, new Date());
    if (keyPrefix !== null) await this.activity.record({ type: 'api_key_revoked', userId, keyPrefix, isPart: true });
    return keyPrefix;
  }

  /** Forgets how many keys the user made today, as for an account whose thief made them. Not part of a transaction. */
  async forgetMade(userId: string): Promise<void> {
    await this.limits.forget(MADE_A_DAY, userId);
  }

  /** Ends when no stream goes on for a session that was ended before (S-60). */
  async waitForStreams(): Promise<void> {
    await this.cache.waitForStreams();
  }

  async #insert(stored: ApiKeyEntity): Promise<void> {
    const { userId, prefix: keyPrefix, name, scopes } = stored;
    if (!(await this.repository.insert(stored))) {
      throw new AppError('api_key_exists', 'You have an API key already. Delete it first, then create a new one.');
    }
    const details = { name, scopes: scopes.join(' ') };
    await this.activity.record({ type: 'api_key_created', userId, keyPrefix, details });
  }

  /** Ends when no instance accepts a key that was revoked, or whose user was disabled or removed, before (S-30). */
  async waitForKeyCacheExpiry(): Promise<void> {
    await this.cache.waitForKeyCacheExpiry();
  }
}

import { Injectable, type OnModuleInit } from '@nestjs/common';
import { sha256 } from '../platform/crypto/digests.js';
import { Retention } from '../platform/retention/retention.js';
import { ApiKeyCache } from './api-key-cache.js';
import { generateApiKey, prefixOf } from './api-key.format.js';
import { BotKeysRepository, type LivingBotKey } from './bot-keys.repository.js';

export type { LivingBotKey } from './bot-keys.repository.js';

/** A key of a bot as it is shown once, and when the one before it ends; null where there was none. */
export interface RotatedBotKey {
  readonly key: string;
  readonly prefix: string;
  readonly previousValidUntil: Date | null;
}

/** Whose a key is to be. */
interface Owner {
  readonly botId: string;
  readonly userId: string;
}

/**
 * Keys of bots: of the format of all keys, shown once, stored as SHA-256, ended as a main key is (contract.md 5.11, S-27, S-28, S-30). All
 * changes need a transaction, and `waitForKeyCacheExpiry` after it.
 */
@Injectable()
export class BotKeysService implements OnModuleInit {
  constructor(
    private readonly repository: BotKeysRepository,
    private readonly cache: ApiKeyCache,
    private readonly retention: Retention,
  ) {}

  onModuleInit(): void {
    this.retention.register('bot_keys', (limit) => this.repository.removeLongEnded(limit));
  }

  async create({ botId, userId }: Owner): Promise<{ readonly key: string; readonly prefix: string }> {
    const key = generateApiKey();
    const prefix = prefixOf(key);
    await this.repository.insert({ hash: sha256(key), prefix, botId, userId });
    return { key, prefix };
  }

  /** Makes a new key. The newest before it lives on for so many seconds; one that was rotated earlier ends at once. */
  async rotate(owner: Owner, overlapSeconds: number): Promise<RotatedBotKey> {
    const { botId } = owner;
    const all = overlapSeconds === 0;
    const ended = await this.repository.revoke(botId, { onlyLimited: !all });
    const previousValidUntil = all ? ended : await this.repository.limit(botId, overlapSeconds);
    return { ...(await this.create(owner)), previousValidUntil };
  }

  /** Newest first, of several bots. */
  listLiving(botIds: readonly string[]): Promise<LivingBotKey[]> {
    return this.repository.listLiving(botIds);
  }

  async revoke(botId: string): Promise<void> {
    await this.repository.revoke(botId, { onlyLimited: false });
  }

  /** Ends all keys of all bots of a user. */
  async revokeAll(userId: string): Promise<void> {
    await this.repository.revokeAll(userId);
  }

  /** Ends when no instance accepts what was ended, or knows what was narrowed, before (S-30). */
  async waitForKeyCacheExpiry(): Promise<void> {
    await this.cache.waitForKeyCacheExpiry();
  }
}

import { Injectable } from '@nestjs/common';
import { ApiKeysService } from '../api-keys/api-keys.service.js';
import { BotKeysService } from '../api-keys/bot-keys.service.js';
import { BotHalts } from './bot-halts.js';
import { BotRotationService } from './bot-rotation.service.js';
import { NewBotsService } from './new-bots.service.js';

/** Who ends the keys of a user. */
export type EndedBy = 'owner' | 'operator';

/** Every key of a user: the main key, and those of all bots, which are halted as their keys end (S-12, S-24). */
@Injectable()
export class UserKeysService {
  constructor(
    private readonly mainKeys: ApiKeysService,
    private readonly botKeys: BotKeysService,
    private readonly halts: BotHalts,
    private readonly newBots: NewBotsService,
    private readonly rotation: BotRotationService,
  ) {}

  /** The prefix of the main key that works; null where there is none. */
  async livingPrefix(userId: string): Promise<string | null> {
    const [live] = await this.mainKeys.list(userId);
    return live?.prefix ?? null;
  }

  /** Ends all of them; returns the prefix of the main key. Needs a transaction, and `waitForKeyCacheExpiry` after its commit. */
  async revokeAll(userId: string, by: EndedBy): Promise<string | null> {
    const prefix = await this.mainKeys.revokeAny(userId);
    await this.endBots(userId, by);
    return prefix;
  }

  /** Ends the keys of all bots, and halts them. Needs a transaction, and `waitForKeyCacheExpiry` after its commit. */
  async endBots(userId: string, by: EndedBy): Promise<void> {
    await this.botKeys.revokeAll(userId);
    await this.halts.mark({ userId, botIds: null, reason: by, by: by === 'owner' ? 'service' : by }, true);
  }

  /** Lets the owner make as many keys and bots today as anybody, whatever a thief made. Not part of a transaction. */
  async forgetMade(userId: string): Promise<void> {
    await this.mainKeys.forgetMade(userId);
    await this.newBots.forgetMade(userId);
    await this.rotation.forgetMade(userId);
  }

  /** Ends when no instance accepts a key that was ended, or whose user was disabled or removed, before (S-30). */
  async waitForKeyCacheExpiry(): Promise<void> {
    await this.mainKeys.waitForKeyCacheExpiry();
  }

  /** Ends when no stream goes on for a session that was ended before (S-60). */
  async waitForStreams(): Promise<void> {
    await this.mainKeys.waitForStreams();
  }
}

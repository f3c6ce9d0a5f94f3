import { Injectable } from '@nestjs/common';
import type { SessionPrincipal } from '../access/principal.js';
import { ActivityService } from '../activity/activity.service.js';
import { DailyLimitsService } from '../activity/daily-limits.service.js';
import { BotKeysService, type RotatedBotKey } from '../api-keys/bot-keys.service.js';
import type { RatePolicy } from '../platform/limits/rate.js';
import type { Bot } from './bot.js';
import { HeldBots } from './held-bots.js';

/** Rotations of a user a day: each leaves a key for 90 days, and events. */
const ROTATED_A_DAY: RatePolicy = { name: 'bot-keys:day', limit: 200, windowMs: 24 * 3_600_000 };

/** Gives bots new keys (contract.md 5.11). */
@Injectable()
export class BotRotationService {
  constructor(
    private readonly held: HeldBots,
    private readonly keys: BotKeysService,
    private readonly limits: DailyLimitsService,
    private readonly activity: ActivityService,
  ) {}

  /** The key before works on for so many seconds; one before that ends at once. Throws `rate_limited` past 200 a user and day. */
  async rotate(caller: SessionPrincipal, id: string, overlapSeconds: number): Promise<RotatedBotKey> {
    return this.limits.counted(ROTATED_A_DAY, caller.userId, () =>
      this.held.change(caller, id, (bot) => this.#rotate(bot, overlapSeconds)),
    );
  }

  /** Lets the owner rotate as often today as anybody, whatever a thief did. Not part of a transaction. */
  async forgetMade(userId: string): Promise<void> {
    await this.limits.forget(ROTATED_A_DAY, userId);
  }

  async #rotate({ id, userId, name }: Bot, overlapSeconds: number): Promise<RotatedBotKey> {
    const rotated = await this.keys.rotate({ botId: id, userId }, overlapSeconds);
    const details = { name, overlap_seconds: overlapSeconds };
    await this.activity.record({ type: 'bot_key_rotated', userId, botId: id, keyPrefix: rotated.prefix, details });
    return rotated;
  }
}

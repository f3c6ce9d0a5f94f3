import { Injectable } from '@nestjs/common';
import { ulid } from 'ulid';
import type { SessionPrincipal } from '../access/principal.js';
import { SessionWrites } from '../access/session-writes.js';
import { ActivityService } from '../activity/activity.service.js';
import { DailyLimitsService } from '../activity/daily-limits.service.js';
import { BotKeysService } from '../api-keys/bot-keys.service.js';
import { AppError } from '../platform/errors/app-error.js';
import type { RatePolicy } from '../platform/limits/rate.js';
import type { BotTerms } from './bot.js';
import { NEW_BOT } from './bot-terms.js';
import { BotTermsCheck, nameTaken } from './bot-terms-check.js';
import type { CreateBotDto } from './bot-terms.dto.js';
import { BotsRepository } from './bots.repository.js';

/** Bots that a user may make a day. */
const MADE_A_DAY: RatePolicy = { name: 'bots:day', limit: 100, windowMs: 24 * 3_600_000 };
/** Bots of a user that live. */
const MOST_LIVING = 50;

/** Makes bots, each with its first key (contract.md 5.11). */
@Injectable()
export class NewBotsService {
  constructor(
    private readonly repository: BotsRepository,
    private readonly keys: BotKeysService,
    private readonly terms: BotTermsCheck,
    private readonly writes: SessionWrites,
    private readonly limits: DailyLimitsService,
    private readonly activity: ActivityService,
  ) {}

  /** Throws `bot_name_taken`, `bot_limit_reached` past 50 that live, `rate_limited` past 100 a day. */
  async create(caller: SessionPrincipal, body: CreateBotDto): Promise<{ readonly id: string; readonly key: string }> {
    const { userId } = caller;
    const terms = this.terms.merged({ ...NEW_BOT, name: body.name }, body);
    const id = `bot_${ulid()}`;
    const make = (): Promise<string> => this.writes.run(caller, () => this.#insert(id, userId, terms));
    return { id, key: await this.limits.counted(MADE_A_DAY, userId, make) };
  }

  /** Lets the owner make as many bots today as anybody, whatever a thief made. Not part of a transaction. */
  async forgetMade(userId: string): Promise<void> {
    await this.limits.forget(MADE_A_DAY, userId);
  }

  async #insert(id: string, userId: string, terms: BotTerms): Promise<string> {
    const { name, scopes } = terms;
    if ((await this.repository.listNames(userId)).length >= MOST_LIVING) {
      throw new AppError('bot_limit_reached', `You have ${MOST_LIVING} bots. Remove one first.`);
    }
    await this.terms.assertNameIsFree(userId, name);
    if (!(await this.repository.insert(id, userId, terms))) throw nameTaken();
    const { key, prefix } = await this.keys.create({ botId: id, userId });
    const details = { name, scopes: scopes.join(' ') };
    await this.activity.record({ type: 'bot_created', userId, botId: id, keyPrefix: prefix, details });
    return key;
  }
}

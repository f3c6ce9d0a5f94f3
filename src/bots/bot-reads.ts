import { Injectable } from '@nestjs/common';
import { BotKeysService } from '../api-keys/bot-keys.service.js';
import { AppError } from '../platform/errors/app-error.js';
import type { Bot } from './bot.js';
import type { ShownBot } from './bot-answers.js';
import { BotOrdersService } from '../proxy/orders/bot-orders.service.js';
import { BotsRepository } from './bots.repository.js';

/** Reads bots with their keys and what they have taken of their limits (contract.md 5.11). */
@Injectable()
export class BotReads {
  constructor(
    private readonly repository: BotsRepository,
    private readonly keys: BotKeysService,
    private readonly orders: BotOrdersService,
  ) {}

  /** Of a removed one too. Throws `not_found`. */
  async find(userId: string, id: string): Promise<Bot> {
    return shown(await this.repository.find(userId, id));
  }

  /** As `find`, held until the transaction ends. Throws `not_found` for one that was removed, too. */
  async holdLiving(userId: string, id: string): Promise<Bot> {
    const bot = shown(await this.repository.hold(userId, id));
    if (bot.state === 'removed') throw noSuchBot();
    return bot;
  }

  async get(userId: string, id: string): Promise<ShownBot> {
    const bot = await this.find(userId, id);
    const [one] = await this.#withRest([bot]);
    if (one === undefined) throw noSuchBot();
    return one;
  }

  /** Newest first, with those that were removed in the last 90 days. */
  async list(userId: string): Promise<ShownBot[]> {
    return this.#withRest(await this.repository.list(userId));
  }

  async #withRest(bots: readonly Bot[]): Promise<ShownBot[]> {
    const ids = bots.map(({ id }) => id);
    const keys = await this.keys.listLiving(ids);
    const usages = await this.orders.usageOf(ids);
    return bots.flatMap((bot) => {
      const usage = usages.get(bot.id);
      return usage === undefined ? [] : [{ bot, keys: keys.filter(({ botId }) => botId === bot.id), usage }];
    });
  }
}

/** Nobody learns whether a bot is another's, was removed long ago or never was (S-32). */
export function noSuchBot(): AppError {
  return new AppError('not_found', 'You have no bot with this id.');
}

function shown(bot: Bot | null): Bot {
  if (bot === null) throw noSuchBot();
  return bot;
}

import { Injectable } from '@nestjs/common';
import { type ApiKeyPrincipal, botIdOf, type SessionPrincipal } from '../access/principal.js';
import { SessionWrites } from '../access/session-writes.js';
import { ActivityService } from '../activity/activity.service.js';
import { BotKeysService } from '../api-keys/bot-keys.service.js';
import { BotHalts, type HaltReport } from './bot-halts.js';
import { BotReads } from './bot-reads.js';
import { BotsRepository } from './bots.repository.js';

/** Halts and removes bots on behalf of whoever may (contract.md 5.11). */
@Injectable()
export class BotStopsService {
  constructor(
    private readonly halts: BotHalts,
    private readonly reads: BotReads,
    private readonly repository: BotsRepository,
    private readonly keys: BotKeysService,
    private readonly writes: SessionWrites,
    private readonly activity: ActivityService,
  ) {}

  /** Throws `not_found`. A removed one is reported on as it is. */
  async halt(caller: SessionPrincipal, id: string): Promise<HaltReport> {
    const { userId, sessionId: by } = caller;
    await this.reads.find(userId, id);
    const reports = await this.halts.halt({ userId, botIds: [id], reason: 'owner', by }, (change) =>
      this.writes.run(caller, change),
    );
    return only(reports);
  }

  /** All that live. */
  async haltAll(caller: SessionPrincipal): Promise<HaltReport[]> {
    const { userId, sessionId: by } = caller;
    return this.halts.halt({ userId, botIds: null, reason: 'all_bots', by }, (change) =>
      this.writes.run(caller, change),
    );
  }

  /** All that live, by the main key: the switch that needs no log-in. */
  async haltAllByKey({ userId, keyPrefix: by }: ApiKeyPrincipal): Promise<HaltReport[]> {
    return this.halts.halt({ userId, botIds: null, reason: 'all_bots', by });
  }

  /** A bot stops itself, and never starts itself. */
  async haltItself(caller: ApiKeyPrincipal): Promise<HaltReport> {
    const { userId, keyPrefix: by } = caller;
    return only(await this.halts.halt({ userId, botIds: [botIdOf(caller) ?? ''], reason: 'bot', by }));
  }

  /**
   * Halts a bot and removes it for good; ends when no instance accepts a key of it any more (S-30). One that was removed is reported on
   * as it is. Throws `not_found`.
   */
  async remove(caller: SessionPrincipal, id: string): Promise<HaltReport> {
    const { userId, sessionId: by } = caller;
    await this.reads.find(userId, id);
    const reports = await this.halts.halt(
      { userId, botIds: [id], reason: 'owner', by },
      (change) => this.writes.run(caller, change),
      () => this.#remove(userId, id),
    );
    await this.keys.waitForKeyCacheExpiry();
    return only(reports);
  }

  async #remove(userId: string, id: string): Promise<void> {
    const bot = await this.repository.hold(userId, id);
    if (bot === null || bot.state === 'removed') return;
    await this.keys.revoke(id);
    await this.repository.remove(userId, id);
    await this.activity.record({ type: 'bot_removed', userId, botId: id, details: { name: bot.name } });
  }
}

function only([report]: readonly HaltReport[]): HaltReport {
  if (report === undefined) throw new Error('a halt left no report');
  return report;
}

import { Injectable } from '@nestjs/common';
import { Transactions } from '../platform/database/transactions.js';
import { BackgroundWork } from '../platform/time/background-work.js';
import { within } from '../platform/time/within.js';
import type { OnMiss } from './bot.js';
import { BotHalts } from './bot-halts.js';
import { noSuchBot } from './bot-reads.js';
import { HeartbeatsRepository } from './heartbeats.repository.js';

/** A switch that has fired is seen within 2 s. */
const EVERY_MS = 1_000;
/** Bots of one list; what is left is in the next. */
const MOST_AT_ONCE = 100;
/** Users whose switches are fired at the same time, since each may wait for what its user has under way. */
const USERS_AT_ONCE = 4;
/** A database that was away for less is not noticed by a bot that repeats its beat. */
const OUTAGE_MS = 2_000;

/** The dead man's switch: a bot that does not beat in time is halted, or its orders are cancelled until it beats (contract.md 5.13). */
@Injectable()
export class Heartbeats extends BackgroundWork {
  /** By `performance.now()`; undefined before the first look. */
  #lookedAt: number | undefined;
  #hasFailed = false;
  /** By the user; each ends, and throws nothing. */
  readonly #firing = new Map<string, Promise<void>>();

  constructor(
    private readonly repository: HeartbeatsRepository,
    private readonly halts: BotHalts,
    private readonly transactions: Transactions,
  ) {
    const failure = 'heartbeats of bots could not be looked at, and are later';
    super({ everyMs: EVERY_MS, firstAfterMs: 0, failure });
  }

  /** Takes a beat; returns when the switch fires. Throws `not_found` for a bot that was removed. */
  async beat(botId: string, ttlSeconds: number, onMiss: OnMiss): Promise<Date> {
    const beat =
      (await this.repository.beat(botId, ttlSeconds, onMiss)) ?? (await this.#late(botId, ttlSeconds, onMiss));
    if (beat === null) throw noSuchBot();
    return beat.expiresAt;
  }

  /** Takes the switch off. One that has fired before has fired. */
  async stop(botId: string): Promise<void> {
    if (await this.repository.stop(botId)) return;
    await this.#forgiveOutage();
    await this.#fire(botId);
    await this.repository.stop(botId);
  }

  override async onModuleDestroy(): Promise<void> {
    await super.onModuleDestroy();
    await Promise.all(this.#firing.values());
  }

  /**
   * Fires each switch whose time is over, once, by whichever instance sees it first. What waits for one user longer than a round delays
   * nobody else's.
   */
  async run(): Promise<void> {
    const begun = new Map(this.#firing);
    const began = begun.size;
    for (;;) {
      const fired = await this.#listFired([...begun.keys()]);
      if (fired.size === 0 || this.hasStopped) break;
      for (const [userId, botIds] of fired) {
        while (this.#firing.size >= USERS_AT_ONCE) await Promise.race(this.#firing.values());
        begun.set(userId, this.#begin(userId, botIds));
      }
    }
    await within(EVERY_MS, Promise.all([...begun.values()].slice(began)), () => undefined);
  }

  #begin(userId: string, botIds: readonly string[]): Promise<void> {
    const work = this.#fireAll(botIds)
      .catch((error: unknown) => {
        const message = 'switches of a user that have fired could not be marked, and are later';
        this.logger.warn({ err: error, userId, message });
      })
      .finally(() => this.#firing.delete(userId));
    this.#firing.set(userId, work);
    return work;
  }

  async #fireAll(botIds: readonly string[]): Promise<void> {
    for (const botId of botIds) await this.#fire(botId);
  }

  async #listFired(without: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    try {
      await this.#forgiveOutage();
      const fired = await this.repository.listFired(MOST_AT_ONCE, without);
      this.#lookedAt = performance.now();
      return fired;
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    }
  }

  /** Beats that could not be written while the database was away count from its return. */
  async #forgiveOutage(): Promise<void> {
    if (!this.#hasFailed) return;
    const awayMs = performance.now() - (this.#lookedAt ?? performance.now());
    if (awayMs > OUTAGE_MS) await this.repository.forgive(awayMs);
    this.#hasFailed = false;
  }

  /** A beat after its time: the switch fires first, unless no beat could be taken. */
  async #late(botId: string, ttlSeconds: number, onMiss: OnMiss): ReturnType<HeartbeatsRepository['beat']> {
    await this.#forgiveOutage();
    await this.#fire(botId);
    return this.repository.beat(botId, ttlSeconds, onMiss);
  }

  async #fire(botId: string): Promise<void> {
    await this.transactions.run(async () => {
      if (await this.repository.fire(botId)) await this.halts.noteMissed(botId);
    });
  }
}

import { Injectable } from '@nestjs/common';
import { ActivityService } from '../activity/activity.service.js';
import { Transactions } from '../platform/database/transactions.js';
import { Tally } from '../platform/metrics/tally.js';
import type { HaltReason } from './bot.js';
import { BotHaltsRepository, type Halt, type HaltedBot } from './bot-halts.repository.js';
import { type ExchangeHalt, Halting } from './halting.js';

/** What became of a bot and its orders with a halt (contract.md 5.11). */
export interface HaltReport {
  readonly bot_id: string;
  readonly halted_at: string;
  readonly reason: HaltReason;
  readonly exchanges: readonly ExchangeHalt[];
  /** Whether nothing of the bot rests but what is named. */
  readonly complete: boolean;
  readonly removed: boolean;
}

/** Longer than a halt that is waited for takes: so long no other instance goes on with it. */
const CLAIMED_SECONDS = 30;

/** Opens the transaction of a change. */
type Run = <T>(change: () => Promise<T>) => Promise<T>;

function toReport({ id, haltedAt, reason, completeAt, exchanges, isRemoved }: HaltedBot): HaltReport {
  return {
    bot_id: id,
    halted_at: haltedAt.toISOString(),
    reason,
    exchanges: exchanges ?? [],
    complete: completeAt !== null,
    removed: isRemoved,
  };
}

/** Nothing of the bot rests there, nor can come to rest. */
function isDone({ not_cancelled: resting, unsettled, error }: ExchangeHalt): boolean {
  return resting.length + unsettled.length === 0 && error === null;
}

/** What was cancelled by all tries of a halt, and what the newest says of the rest. */
function merged(before: readonly ExchangeHalt[], now: readonly ExchangeHalt[]): ExchangeHalt[] {
  return now.map((one) => {
    const earlier = before.find(({ exchange }) => exchange === one.exchange)?.cancelled ?? [];
    return { ...one, cancelled: [...new Set([...earlier, ...one.cancelled])] };
  });
}

/** Halts bots: from the answer on no order of theirs begins, on any instance (contract.md 5.11). */
@Injectable()
export class BotHalts {
  /** Halts that were marked by this instance. */
  readonly marked = new Tally(['reason']);

  constructor(
    private readonly repository: BotHaltsRepository,
    private readonly activity: ActivityService,
    private readonly transactions: Transactions,
    private readonly halting: Halting,
  ) {}

  /**
   * Halts what is not halted yet, cancels what rests, and reports on all that the halt is of, within 30 s. One that was halted before, or
   * removed, keeps its time and reason, and goes on where it ended. `run` opens the transaction, of which `alsoDo` is a part.
   */
  async halt(
    halt: Halt,
    run: Run = (change) => this.transactions.run(change),
    alsoDo?: () => Promise<void>,
  ): Promise<HaltReport[]> {
    await run(async () => {
      await this.mark(halt);
      await alsoDo?.();
    });
    return this.cancel(halt);
  }

  /** Cancels what rests of the halted ones, and reports on them, within 30 s. */
  async cancel(halt: Pick<Halt, 'userId' | 'botIds'>): Promise<HaltReport[]> {
    const halted = await this.repository.listHalted(halt);
    const left = await this.repository.claim(
      halted.map(({ id }) => id),
      CLAIMED_SECONDS,
    );
    if (left.length > 0) await this.#goOn(halt.userId, left, halted);
    return (await this.repository.listHalted(halt)).map(toReport);
  }

  /** Whether an order of a bot may still be on its way. */
  isUnsettled(botId: string): Promise<boolean> {
    return this.halting.isUnsettled(botId);
  }

  /** Takes the users whose halts, or missed beats, are not done with; each bot is one instance's at a time. */
  async takeDue(limit: number): Promise<ReadonlyMap<string, readonly string[]>> {
    const due = await this.repository.takeDue(limit);
    const ofUser = (userId: string): string[] => due.flatMap((bot) => (bot.userId === userId ? [bot.id] : []));
    return new Map(due.map(({ userId }) => [userId, ofUser(userId)]));
  }

  /** Goes on with bots of `takeDue`. */
  async goOn(userId: string, botIds: readonly string[]): Promise<void> {
    await this.#goOn(userId, botIds, await this.repository.listHalted({ userId, botIds }));
  }

  /** Cancels what rests of these bots, and writes how far that came. The end of a halt that was not complete at first is noted. */
  async #goOn(userId: string, botIds: readonly string[], before: readonly HaltedBot[]): Promise<void> {
    const marks = await this.repository.listMarks(botIds);
    const did = await this.halting.run(userId, marks);
    for (const [botId, exchanges] of did) {
      const known = before.find(({ id }) => id === botId);
      const isComplete = exchanges.every(isDone);
      if (known === undefined) await this.repository.saveGap(botId, marks.get(botId)?.at ?? 0, isComplete);
      else await this.#save(known, exchanges, isComplete);
    }
  }

  async #save(known: HaltedBot, exchanges: readonly ExchangeHalt[], isComplete: boolean): Promise<void> {
    await this.transactions.run(async () => {
      const ended = await this.repository.save(known, merged(known.exchanges ?? [], exchanges), isComplete);
      if (ended !== null && known.exchanges !== null) await this.#record(ended, true, { complete: true });
    });
  }

  /** Marks those that are not halted yet; `isPart` of a greater change, of which the owner is told. Needs a transaction. */
  async mark(halt: Halt, isPart = false): Promise<void> {
    for (const bot of await this.repository.mark(halt)) await this.#recordMark(bot, isPart);
  }

  /** Notes that a bot was halted since it missed its beat; where its orders were only cancelled, there is nothing to note. Needs a transaction. */
  async noteMissed(botId: string): Promise<void> {
    const bot = await this.repository.findHalted(botId);
    if (bot !== null) await this.#recordMark(bot, false);
  }

  /** Halts the next bot whose end has come; false where there is none. */
  async haltExpired(): Promise<boolean> {
    return this.transactions.run(async () => {
      const bot = await this.repository.markExpired();
      if (bot !== null) await this.#recordMark(bot, false);
      return bot !== null;
    });
  }

  async #recordMark(bot: HaltedBot, isPart: boolean): Promise<void> {
    await this.#record(bot, isPart);
    this.marked.count(bot.reason);
  }

  async #record({ id, userId, name, reason, by }: HaltedBot, isPart: boolean, more = {}): Promise<void> {
    await this.activity.record({
      type: 'bot_halted',
      userId,
      botId: id,
      ...(by?.startsWith('svc_sk_') === true && { keyPrefix: by }),
      details: { name, reason, by, ...more },
      ...(isPart && ({ isPart: true } as const)),
    });
  }
}

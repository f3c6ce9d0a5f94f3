import { Injectable, type OnModuleInit } from '@nestjs/common';
import { z } from 'zod';
import { Transactions } from '../platform/database/transactions.js';
import type { MailComposer, MailContent, MailJob } from '../platform/mail/mail.js';
import { MailComposers } from '../platform/mail/mail-composers.js';
import { MailOutbox } from '../platform/mail/mail-outbox.js';
import { BackgroundWork } from '../platform/time/background-work.js';
import { endingBotText } from './bot-ending-mail.js';
import { BotHalts } from './bot-halts.js';
import { BotHaltsRepository } from './bot-halts.repository.js';
import { BotsRepository } from './bots.repository.js';

const EVERY_MS = 5_000;
/** Bots of one run; those that are left have the next. */
const MOST_AT_ONCE = 500;

const ENDING_MAIL = 'bot_ending';
const DATA = z.object({ userId: z.string(), id: z.string(), expiresAt: z.iso.datetime() });

/**
 * Halts bots whose end has come, and mails their owners 3 days before, once each however many instances there are: who marks a bot does
 * the rest in the same transaction (contract.md 5.11, R-19). A key is refused from the end on, whenever this runs.
 */
@Injectable()
export class BotEnds extends BackgroundWork implements MailComposer, OnModuleInit {
  constructor(
    private readonly halts: BotHalts,
    private readonly repository: BotHaltsRepository,
    private readonly bots: BotsRepository,
    private readonly transactions: Transactions,
    private readonly outbox: MailOutbox,
    private readonly composers: MailComposers,
  ) {
    super({ everyMs: EVERY_MS, firstAfterMs: Math.random() * EVERY_MS, failure: 'Ends of bots are looked at later' });
  }

  onModuleInit(): void {
    this.composers.register(ENDING_MAIL, this);
  }

  /** No mail where the bot was removed, or has another end by now. */
  async compose({ data }: MailJob): Promise<MailContent | null> {
    const { userId, id, expiresAt } = DATA.parse(data);
    const bot = await this.bots.find(userId, id);
    if (bot?.expiresAt?.toISOString() !== expiresAt || bot.state === 'removed' || bot.state === 'expired') return null;
    return endingBotText({ id, name: bot.name, expiresAt: bot.expiresAt });
  }

  /** Halts and mails all that are due. */
  async run(): Promise<void> {
    await this.#many(() => this.halts.haltExpired());
    await this.#many(() => this.#remind());
  }

  async #many(next: () => Promise<boolean>): Promise<void> {
    for (let count = 0; count < MOST_AT_ONCE && !this.hasStopped; count += 1) {
      if (!(await next())) return;
    }
  }

  async #remind(): Promise<boolean> {
    return this.transactions.run(async () => {
      const bot = await this.repository.claimEnding();
      if (bot === null) return false;
      const { id, userId, email, expiresAt } = bot;
      const data = { id, userId, expiresAt: expiresAt.toISOString() };
      await this.outbox.add({ kind: ENDING_MAIL, recipient: email, data });
      return true;
    });
  }
}

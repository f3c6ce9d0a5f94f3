import { Injectable, type OnModuleInit } from '@nestjs/common';
import { z } from 'zod';
import { Transactions } from '../platform/database/transactions.js';
import type { MailComposer, MailContent, MailJob } from '../platform/mail/mail.js';
import { MailComposers } from '../platform/mail/mail-composers.js';
import { MailOutbox } from '../platform/mail/mail-outbox.js';
import { BackgroundWork } from '../platform/time/background-work.js';
import { CredentialSetsRepository } from './credential-sets.repository.js';
import { endingKeyText } from './session-key-mail.js';
import { SessionKeysRepository } from './session-keys.repository.js';

const EVERY_MS = 600_000;
const FIRST_SPREAD_MS = 30_000;
/** How many keys one run looks at; the next run looks at the others. */
const MOST_AT_ONCE = 500;

const ENDING_MAIL = 'session_key_ending';
const DATA = z.object({ userId: z.string(), exchange: z.string(), address: z.string(), validUntil: z.iso.datetime() });

/**
 * Mails the owner of a session key 14 days and 2 days before the key ends, once each, with any number of instances: the instance
 * that marks a key as reminded writes the mail in the same transaction (contract.md 5.9, R-19).
 */
@Injectable()
export class SessionKeyReminders extends BackgroundWork implements MailComposer, OnModuleInit {
  constructor(
    private readonly keys: SessionKeysRepository,
    private readonly sets: CredentialSetsRepository,
    private readonly transactions: Transactions,
    private readonly outbox: MailOutbox,
    private readonly composers: MailComposers,
  ) {
    const failure = 'Owners of session keys are told of their end later';
    super({ everyMs: EVERY_MS, firstAfterMs: Math.random() * FIRST_SPREAD_MS, failure });
  }

  onModuleInit(): void {
    this.composers.register(ENDING_MAIL, this);
  }

  /** Asks for one mail that is due, of all users or of one; false where none is. */
  async remind(userId: string | null = null): Promise<boolean> {
    return this.transactions.run(async () => {
      const key = await this.keys.claimEnding(userId);
      if (key === null) return false;
      const { email, validUntil, ...data } = key;
      await this.outbox.add({
        kind: ENDING_MAIL,
        recipient: email,
        data: { ...data, validUntil: validUntil.toISOString() },
      });
      return true;
    });
  }

  /** No mail where the key is not in use any more. */
  async compose({ data }: MailJob): Promise<MailContent | null> {
    const { userId, exchange, address, validUntil } = DATA.parse(data);
    const { active } = await this.sets.find(userId, exchange);
    const now = new Date();
    if (active?.address !== address || active.validUntil?.toISOString() !== validUntil) return null;
    return active.validUntil <= now ? null : endingKeyText(active, active.validUntil, now);
  }

  /** Asks for all that are due. */
  async run(): Promise<void> {
    for (let count = 0; count < MOST_AT_ONCE && !this.hasStopped; count += 1) {
      if (!(await this.remind())) return;
    }
  }
}

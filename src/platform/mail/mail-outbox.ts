import { Injectable } from '@nestjs/common';
import { monotonicFactory } from 'ulid';
import { Transactions } from '../database/transactions.js';
import type { MailJob } from './mail.js';
import { MailOutboxRepository } from './mail-outbox.repository.js';
import { MailWorker } from './mail-worker.js';

/** Work on a mail begins so long after its request that nobody can tell by the load which request it is for (S-6). */
const MIN_DELAY_MS = 50;
const DELAY_SPREAD_MS = 350;
/** A mail with a topic is held back, so that those right after it become part of it. */
const TOPIC_DELAY_MS = 2_000;
/** The database's clock rounds. */
const SLACK_MS = 5;

/** Ids sort as the mails were asked for. */
const nextId = monotonicFactory();

/** What a feature asks for. */
type AskedMail = Pick<MailJob, 'kind' | 'recipient' | 'data'> & {
  /** Mails of one topic to an address within a minute are one mail. */
  readonly topic?: string;
  /** Whether it leaves before what strangers can cause (S-55); true where nothing is said. */
  readonly goesFirst?: boolean;
};

/** Where features leave mails: written in their transaction, sent after it (S-6, R-19). */
@Injectable()
export class MailOutbox {
  constructor(
    private readonly rows: MailOutboxRepository,
    private readonly worker: MailWorker,
    private readonly transactions: Transactions,
  ) {}

  async add(mail: AskedMail): Promise<void> {
    const { topic = null, goesFirst = true } = mail;
    const delayMs = topic === null ? MIN_DELAY_MS + Math.random() * DELAY_SPREAD_MS : TOPIC_DELAY_MS;
    await this.rows.insert({ id: `mail_${nextId()}`, ...mail, topic, goesFirst }, delayMs);
    this.transactions.afterCommit(() => {
      this.worker.wake(delayMs + SLACK_MS);
    });
  }

  /**
   * Whether a newer mail of the same kind to the same address has left or is about to. Throws where that is not decided yet,
   * so that this one is tried again: the newer one may be over a limit, and one of the two must arrive.
   */
  async isSuperseded(job: MailJob): Promise<boolean> {
    const { hasLeft, isBeginning } = await this.rows.newerThan(job);
    if (isBeginning && !hasLeft) throw new Error('a newer mail is tried for the first time');
    return hasLeft;
  }
}

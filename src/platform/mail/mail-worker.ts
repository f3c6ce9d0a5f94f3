import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Tally } from '../metrics/tally.js';
import { Periodic } from '../time/periodic.js';
import { MailComposers } from './mail-composers.js';
import { MailOutboxRepository } from './mail-outbox.repository.js';
import { MailSender } from './mail-sender.js';
import { MailTopicsRepository } from './mail-topics.repository.js';
import type { MailJob } from './mail.js';

const POLL_MS = 1_000;
const LANES = 4;
/** How many of these may send mails that strangers can cause; the others are kept for mails that go first (S-55). */
const STRANGERS_LANES = 3;

const RETRY_AFTER_MS = [1_000, 5_000, 30_000, 120_000, 600_000];
const HOURLY_MS = 3_600_000;
const GIVE_UP_AFTER_MS = 86_400_000;

/** Sends what is in the outbox: soon after it was written, and again later where that failed. */
@Injectable()
export class MailWorker implements OnApplicationBootstrap, OnModuleDestroy {
  /** Attempts to send a mail, by how they ended. */
  readonly attempts = new Tally(['outcome']);
  readonly #logger = new Logger('Mail');
  readonly #claims = new Periodic(
    POLL_MS,
    () => this.#claimAll(),
    (error) => {
      this.#logger.warn({ err: error, message: 'The mail outbox cannot be read' });
    },
  );
  readonly #underWay = new Set<Promise<void>>();
  #strangersUnderWay = 0;

  constructor(
    private readonly outbox: MailOutboxRepository,
    private readonly topics: MailTopicsRepository,
    private readonly composers: MailComposers,
    private readonly sender: MailSender,
  ) {}

  onApplicationBootstrap(): void {
    this.#claims.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.#claims.stop();
    await Promise.all(this.#underWay);
  }

  /** Looks for mails that are due after so many milliseconds. */
  wake(afterMs: number): void {
    setTimeout(() => {
      this.#claims.run();
    }, afterMs).unref();
  }

  async #claimAll(): Promise<void> {
    while (!this.#claims.hasStopped && this.#underWay.size < LANES) {
      const first = await this.outbox.claim(true);
      const job = first ?? (this.#strangersUnderWay < STRANGERS_LANES ? await this.outbox.claim(false) : null);
      if (job === null) return;
      const strangers = first === null ? 1 : 0;
      this.#strangersUnderWay += strangers;
      const delivery = this.#deliver(job).finally(() => {
        this.#underWay.delete(delivery);
        this.#strangersUnderWay -= strangers;
        this.#claims.run();
      });
      this.#underWay.add(delivery);
    }
  }

  async #deliver(claimed: MailJob): Promise<void> {
    try {
      const job = await this.topics.gather(claimed);
      if (job === null) return;
      const content = await this.composers.get(job.kind).compose(job);
      if (content !== null) await this.sender.send(job, content);
      const outcome = content === null ? 'not_needed' : 'sent';
      this.attempts.count(outcome);
      await this.outbox.finish(job, outcome);
    } catch (error) {
      await this.#failed(claimed, error).catch((cause: unknown) => {
        this.#logger.warn({ err: cause, mail_id: claimed.id, message: 'A failed mail is left to its lease' });
      });
    }
  }

  async #failed(job: MailJob, error: unknown): Promise<void> {
    const isOver = Date.now() - job.createdAt.getTime() >= GIVE_UP_AFTER_MS;
    this.attempts.count(isOver ? 'given_up' : 'failed');
    const facts = { err: error, mail_id: job.id, kind: job.kind, attempts: job.attempts };
    if (isOver) {
      this.#logger.error({ ...facts, message: 'A mail could not be sent for 24 hours and is given up' });
      await this.topics.release(job);
      await this.outbox.finish(job, 'given_up');
      await this.composers.giveUp(job);
      return;
    }
    this.#logger.warn({ ...facts, message: 'A mail could not be sent and is tried again later' });
    await this.outbox.postpone(job.id, RETRY_AFTER_MS[job.attempts - 1] ?? HOURLY_MS);
  }
}

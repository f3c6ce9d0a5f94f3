import { Injectable } from '@nestjs/common';
import { Transactions } from '../database/transactions.js';
import type { MailJob, MailPart } from './mail.js';

/** At most one mail of a topic leaves to an address in so many seconds. */
const INTERVAL_SECONDS = 60;

interface Standing {
  /** An older mail of the topic has not left yet: it will cover this one too. */
  readonly isPreceded: boolean;
  /** Seconds until another mail of the topic may leave; 0 where none left lately. */
  readonly waitSeconds: number;
}

/** Merges mails to one address with the same kind and topic into one mail (S-55). */
@Injectable()
export class MailTopicsRepository {
  constructor(private readonly transactions: Transactions) {}

  /**
   * Returns the mail with whatever else is to be sent on its topic, which from now on is part of it and done when it is
   * done. Null where it is held back: until an older one has left, or until a minute has passed since the last.
   */
  async gather(job: MailJob): Promise<MailJob | null> {
    if (job.topic === null) return job;
    const { isPreceded, waitSeconds } = await this.#standing(job);
    if (isPreceded || waitSeconds > 0) {
      await this.#holdBack(job, isPreceded ? INTERVAL_SECONDS : waitSeconds);
      return null;
    }
    return { ...job, parts: await this.#takeParts(job) };
  }

  /** Makes the parts of a mail that is given up mails of their own again. */
  async release({ id, kind, recipient }: MailJob): Promise<void> {
    await this.transactions.manager.query(
      'UPDATE mail_outbox SET part_of = NULL WHERE recipient = $2 AND kind = $3 AND part_of = $1 AND done_at IS NULL',
      [id, recipient, kind],
    );
  }

  async #standing({ id, kind, recipient, topic }: MailJob): Promise<Standing> {
    const rows = await this.transactions.manager.query<Standing[]>(
      `SELECT COALESCE(bool_or(done_at IS NULL AND part_of IS NULL AND id < $1), false) AS "isPreceded",
              COALESCE(extract(epoch FROM max(done_at) FILTER (WHERE outcome = 'sent') - now()) + $5, 0)::float AS "waitSeconds"
         FROM mail_outbox WHERE recipient = $2 AND kind = $3 AND topic = $4`,
      [id, recipient, kind, topic, INTERVAL_SECONDS],
    );
    return rows[0] ?? { isPreceded: false, waitSeconds: 0 };
  }

  /** Nothing was tried, so that nothing counts as an attempt. */
  async #holdBack({ id }: MailJob, seconds: number): Promise<void> {
    await this.transactions.manager.query(
      `UPDATE mail_outbox SET attempts = attempts - 1, next_attempt_at = now() + make_interval(secs => $2)
       WHERE id = $1 AND done_at IS NULL`,
      [id, seconds],
    );
  }

  async #takeParts({ id, kind, recipient, topic }: MailJob): Promise<MailPart[]> {
    const rows = await this.transactions.manager.query<MailPart[]>(
      `WITH taken AS (
         UPDATE mail_outbox SET part_of = $1
         WHERE recipient = $2 AND kind = $3 AND topic = $4 AND id <> $1 AND done_at IS NULL
           AND (part_of IS NULL OR part_of = $1)
         RETURNING id, data, created_at)
       SELECT data, created_at AS "createdAt" FROM taken ORDER BY id`,
      [id, recipient, kind, topic],
    );
    return rows;
  }
}

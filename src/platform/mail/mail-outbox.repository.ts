import { Injectable } from '@nestjs/common';
import { Transactions } from '../database/transactions.js';
import type { MailJob } from './mail.js';

export type MailOutcome = 'sent' | 'not_needed' | 'given_up';

/** A mail as it is asked for. */
type NewMail = Pick<MailJob, 'id' | 'kind' | 'recipient' | 'data' | 'topic'> & { readonly goesFirst: boolean };

/** What is known of the mails after a given one. */
export interface NewerMails {
  readonly hasLeft: boolean;
  readonly isBeginning: boolean;
}

/**
 * How long a claimed mail is left alone; above every limit of sending, so that a killed sender's mail is sent again
 * (R-19).
 */
const LEASE_SECONDS = 60;

/** Stores mails to be sent, in the transaction of the change that asks for them. */
@Injectable()
export class MailOutboxRepository {
  constructor(private readonly transactions: Transactions) {}

  async insert(job: NewMail, delayMs: number): Promise<void> {
    const { id, kind, recipient, data, topic, goesFirst } = job;
    await this.transactions.manager.query(
      `INSERT INTO mail_outbox (id, kind, recipient, data, topic, goes_first, next_attempt_at)
       VALUES ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7))`,
      [id, kind, recipient, JSON.stringify(data), topic, goesFirst, delayMs / 1_000],
    );
  }

  /**
   * Claims the next mail that is due, so that no other worker takes it; null where none is. Mails of one kind to one
   * address are first tried in the order in which they were asked for, so that the newest link is the one that lasts
   * (S-9). Mails with a topic need no order, as they become one mail. `goesFirst` says which of the two queues to claim from (S-55).
   */
  async claim(goesFirst: boolean): Promise<MailJob | null> {
    const { rows } = await this.transactions.modify<Omit<MailJob, 'parts'>>(
      `WITH due AS (
         SELECT id FROM mail_outbox AS waiting WHERE done_at IS NULL AND part_of IS NULL
           AND goes_first = $2 AND next_attempt_at <= now()
           AND NOT (attempts = 0 AND topic IS NULL AND EXISTS (
             SELECT 1 FROM mail_outbox AS older
             WHERE older.recipient = waiting.recipient AND older.kind = waiting.kind AND older.id < waiting.id
               AND older.done_at IS NULL AND older.attempts <= 1))
         ORDER BY next_attempt_at LIMIT 1 FOR UPDATE SKIP LOCKED)
       UPDATE mail_outbox AS mail SET attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => $1)
       FROM due WHERE mail.id = due.id
       RETURNING mail.id, kind, recipient, data, topic, attempts, created_at AS "createdAt"`,
      [LEASE_SECONDS, goesFirst],
    );
    return rows[0] === undefined ? null : { ...rows[0], parts: [] };
  }

  /**
   * Later mails of the same kind to the same address: whether one has left or is tried again, and whether one is at its
   * first attempt, which may still turn out not to be sent.
   */
  async newerThan({ id, kind, recipient }: MailJob): Promise<NewerMails> {
    const rows = await this.transactions.manager.query<NewerMails[]>(
      `SELECT COALESCE(bool_or(outcome = 'sent' OR (done_at IS NULL AND attempts > 1)), false) AS "hasLeft",
              COALESCE(bool_or(done_at IS NULL AND attempts = 1), false) AS "isBeginning"
         FROM mail_outbox WHERE kind = $2 AND recipient = $3 AND id > $1`,
      [id, kind, recipient],
    );
    return rows[0] ?? { hasLeft: false, isBeginning: false };
  }

  /** Marks a mail as done, with whatever is part of it. */
  async finish({ id, kind, recipient }: MailJob, outcome: MailOutcome): Promise<void> {
    await this.transactions.manager.query(
      `UPDATE mail_outbox SET done_at = now(), outcome = $4
       WHERE recipient = $2 AND kind = $3 AND (id = $1 OR part_of = $1)`,
      [id, recipient, kind, outcome],
    );
  }

  /** Removes mails that were done with a week ago or longer, at most `limit`; returns how many. */
  async removeDone(limit: number): Promise<number> {
    const { count } = await this.transactions.modify(
      `DELETE FROM mail_outbox WHERE id IN
         (SELECT id FROM mail_outbox WHERE done_at < now() - interval '7 days' LIMIT $1 FOR UPDATE SKIP LOCKED)`,
      [limit],
    );
    return count;
  }

  async postpone(id: string, delayMs: number): Promise<void> {
    await this.transactions.manager.query(
      'UPDATE mail_outbox SET next_attempt_at = now() + make_interval(secs => $2) WHERE id = $1',
      [id, delayMs / 1_000],
    );
  }
}

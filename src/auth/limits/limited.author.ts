import type { MailAuthor, MailContent, MailJob } from '../../platform/mail/mail.js';
import type { MailLimits } from './mail-limits.js';

/** Counts what strangers can cause, once a mail, before its author is asked: a mail too many makes no token (S-6). */
export class LimitedAuthor implements MailAuthor {
  constructor(
    private readonly limits: MailLimits,
    private readonly author: MailAuthor,
  ) {}

  async compose(job: MailJob): Promise<MailContent | null> {
    if (job.attempts === 1 && !(await this.limits.allows(job.recipient))) return null;
    return this.author.compose(job);
  }
}

import { z } from 'zod';
import { networkOf } from '../../platform/limits/client-network.js';
import type { MailAuthor, MailContent, MailJob } from '../../platform/mail/mail.js';
import type { MailLimits } from './mail-limits.js';

/** An older version wrote no network beside a mail that waits. */
const DATA = z.object({ network: z.string().default(networkOf('')) });

/** Counts what strangers can cause, once a mail, before its author is asked: a mail too many makes no token (S-6). */
export class LimitedAuthor implements MailAuthor {
  constructor(
    private readonly limits: MailLimits,
    private readonly author: MailAuthor,
  ) {}

  async compose(job: MailJob): Promise<MailContent | null> {
    if (job.attempts === 1 && !(await this.#isAllowed(job))) return null;
    return this.author.compose(job);
  }

  #isAllowed({ kind, recipient: email, data }: MailJob): Promise<boolean> {
    return this.limits.allows({ kind, email, network: DATA.parse(data).network });
  }
}

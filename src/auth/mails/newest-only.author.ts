import type { MailAuthor, MailContent, MailJob } from '../../platform/mail/mail.js';
import type { MailOutbox } from '../../platform/mail/mail-outbox.js';

/** No mail that is tried again late ends the link of a newer one (S-9, S-55). */
export class NewestOnlyAuthor implements MailAuthor {
  constructor(
    private readonly outbox: MailOutbox,
    private readonly author: MailAuthor,
  ) {}

  async compose(job: MailJob): Promise<MailContent | null> {
    return (await this.outbox.isSuperseded(job)) ? null : this.author.compose(job);
  }
}

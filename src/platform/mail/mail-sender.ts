import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { within } from '../time/within.js';
import { FileTransport } from './file.transport.js';
import type { MailContent, MailJob, MailTransport } from './mail.js';
import { MailLayout } from './mail-layout.js';
import { SmtpTransport } from './smtp.transport.js';

const WHOLE_SEND_MS = 30_000;

/** Sends through the mail server of SMTP_URL, else into `$DATA_DIR/outbox` (contract.md 2). */
@Injectable()
export class MailSender {
  readonly #transport: MailTransport;

  constructor(
    { smtpUrl, mailFrom, dataDir }: Settings,
    private readonly layout: MailLayout,
  ) {
    this.#transport =
      smtpUrl === undefined
        ? new FileTransport(join(dataDir, 'outbox'), mailFrom)
        : new SmtpTransport(smtpUrl, mailFrom);
  }

  /** Rejects where the mail did not leave in 30 s. */
  async send(job: MailJob, content: MailContent): Promise<void> {
    const mail = this.layout.render(job, content);
    await within(WHOLE_SEND_MS, this.#transport.send(mail), () => {
      throw new Error('Sending took too long');
    });
  }
}

import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { FileTransport } from './file.transport.js';
import type { MailTransport, RenderedMail } from './mail.js';
import { SmtpTransport } from './smtp.transport.js';

const WHOLE_SEND_MS = 30_000;

/** Sends through the mail server of SMTP_URL, else into `$DATA_DIR/outbox` (DESIGN 2). */
@Injectable()
export class MailSender {
  readonly #transport: MailTransport;

  constructor({ smtpUrl, mailFrom, dataDir }: Settings) {
    this.#transport =
      smtpUrl === undefined
        ? new FileTransport(join(dataDir, 'outbox'), mailFrom)
        : new SmtpTransport(smtpUrl, mailFrom);
  }

  /** Rejects where the mail did not leave in 30 s. */
  async send(mail: RenderedMail): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new Error('Sending took too long'));
      }, WHOLE_SEND_MS);
    });
    await Promise.race([this.#transport.send(mail), timeout]).finally(() => {
      clearTimeout(timer);
    });
  }
}

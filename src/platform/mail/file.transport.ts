import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import type { MailTransport, RenderedMail } from './mail.js';
import { toMessage } from './mail-message.js';

/** Writes each mail into a file, whole and then renamed; the log names the file, never what it holds (contract.md 2). */
export class FileTransport implements MailTransport {
  readonly #logger = new Logger('Mail');

  constructor(
    private readonly directory: string,
    private readonly from: string,
  ) {}

  async send(mail: RenderedMail): Promise<void> {
    const { createTransport } = await import('nodemailer');
    const builder = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
    const { message } = await builder.sendMail(toMessage(mail, this.from));
    await mkdir(this.directory, { recursive: true, mode: 0o700 });
    const path = join(this.directory, `${mail.id}.eml`);
    const temporary = `${path}.tmp`;
    await writeFile(temporary, message, { mode: 0o600 });
    await rename(temporary, path);
    this.#logger.log(`A mail waits in ${path}`);
  }
}

import { Injectable } from '@nestjs/common';
import type { MailAuthor, MailJob } from './mail.js';

/** Who writes the mails of which kind; features register at start. */
@Injectable()
export class MailAuthors {
  readonly #authors = new Map<string, MailAuthor>();
  #whenGivenUp: (job: MailJob) => Promise<void> = () => Promise.resolve();

  register(kind: string, author: MailAuthor): void {
    if (this.#authors.has(kind)) throw new Error(`Two authors for mails of the kind ${kind}`);
    this.#authors.set(kind, author);
  }

  /** Who is told of a mail that could not be sent for 24 hours. */
  onGivenUp(listener: (job: MailJob) => Promise<void>): void {
    this.#whenGivenUp = listener;
  }

  async giveUp(job: MailJob): Promise<void> {
    await this.#whenGivenUp(job);
  }

  get(kind: string): MailAuthor {
    const author = this.#authors.get(kind);
    if (author === undefined) throw new Error(`Nobody writes mails of the kind ${kind}`);
    return author;
  }
}

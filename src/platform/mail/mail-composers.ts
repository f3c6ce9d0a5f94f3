import { Injectable } from '@nestjs/common';
import type { MailComposer, MailJob } from './mail.js';

/** Which composer makes mails of which kind; features register theirs at start. */
@Injectable()
export class MailComposers {
  readonly #composers = new Map<string, MailComposer>();
  #whenGivenUp: (job: MailJob) => Promise<void> = () => Promise.resolve();

  register(kind: string, composer: MailComposer): void {
    if (this.#composers.has(kind)) throw new Error(`Two composers for mails of the kind ${kind}`);
    this.#composers.set(kind, composer);
  }

  /** Sets what is called with a mail that could not be sent for 24 hours. */
  onGivenUp(listener: (job: MailJob) => Promise<void>): void {
    this.#whenGivenUp = listener;
  }

  async giveUp(job: MailJob): Promise<void> {
    await this.#whenGivenUp(job);
  }

  get(kind: string): MailComposer {
    const composer = this.#composers.get(kind);
    if (composer === undefined) throw new Error(`No composer for mails of the kind ${kind}`);
    return composer;
  }
}

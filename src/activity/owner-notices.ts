import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { MailAuthor, MailContent, MailJob } from '../platform/mail/mail.js';
import { MailOutbox } from '../platform/mail/mail-outbox.js';
import { UsersService } from '../users/users.service.js';
import type { StoredEvent } from './activity.repository.js';
import { noticeOf } from './notice-texts.js';

export const NOTICE_MAIL = 'notice';

const DATA = z.object({
  type: z.string(),
  userId: z.string(),
  ip: z.string(),
  userAgent: z.string(),
  keyPrefix: z.string().nullable(),
  exchange: z.string().nullable(),
  details: z.record(z.string(), z.unknown()),
});

const MAX_CLIENT = 120;

/** Mails the owner of an account when something happens to it that he should know of at once. */
@Injectable()
export class OwnerNotices implements MailAuthor {
  constructor(
    private readonly outbox: MailOutbox,
    private readonly users: UsersService,
  ) {}

  /** Asks for a mail where the event is worth one, in the transaction of the event. */
  async tell(event: Omit<StoredEvent, 'createdAt'>): Promise<void> {
    if (event.userId === null || noticeOf(event) === null) return;
    const user = await this.users.find(event.userId);
    if (user === null) return;
    const { type, userId, ip, userAgent, keyPrefix, exchange, details } = event;
    const data = { type, userId, ip, userAgent, keyPrefix, exchange, details };
    await this.outbox.add({ kind: NOTICE_MAIL, recipient: user.email, data });
  }

  async compose({ data, createdAt, recipient }: MailJob): Promise<MailContent | null> {
    const event = DATA.parse(data);
    const notice = noticeOf(event);
    if (notice === null) return null;
    const user = await this.users.find(event.userId);
    // A mail to an address that nobody has proved holds nothing that its sender may have chosen (S-46).
    const isProved = user?.email === recipient && user.emailVerifiedAt !== null;
    const client = event.userAgent.slice(0, MAX_CLIENT);
    return {
      subject: notice.subject,
      paragraphs: [notice.text],
      facts: [
        ['When', `${createdAt.toISOString().slice(0, 19).replace('T', ' ')} UTC`],
        ...(event.ip === '' ? [] : ([['Address', event.ip]] as const)),
        ...(isProved && client !== '' ? ([['Client', client]] as const) : []),
        ...notice.facts,
      ],
      closing: ['If this was not you, reset your password at once: it ends every session.'],
    };
  }
}

import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Settings } from '../platform/config/settings.js';
import type { FactGroup, MailComposer, MailContent, MailJob, MailPart } from '../platform/mail/mail.js';
import { MailOutbox } from '../platform/mail/mail-outbox.js';
import { UsersService } from '../users/users.service.js';
import type { StoredActivityEvent } from './activity.repository.js';
import { clientName } from './client-name.js';
import { isNeverBundled, noticeOf } from './notice-texts.js';

export const NOTICE_MAIL = 'notice';

const DATA = z.object({
  type: z.string(),
  userId: z.string(),
  ip: z.string(),
  userAgent: z.string(),
  keyPrefix: z.string().nullable(),
  /** Mails of an earlier version have none. */
  botId: z.string().nullable().default(null),
  exchange: z.string().nullable(),
  details: z.record(z.string(), z.unknown()),
});

/** A mail of several events lists the newest. */
const MAX_LISTED = 20;

/**
 * Notices: mails to the owner of an account about events that the owner should know of at once, one mail for all events of
 * a type within a minute (S-55); a halt of a bot has one of its own.
 */
@Injectable()
export class OwnerNotices implements MailComposer {
  constructor(
    private readonly outbox: MailOutbox,
    private readonly users: UsersService,
    private readonly settings: Settings,
  ) {}

  /**
   * Asks for a mail where the event is worth one, in the transaction of the event. None goes to an address that nobody has
   * proved: its reader may have nothing to do with the account (S-55).
   */
  async request(event: Omit<StoredActivityEvent, 'createdAt'>): Promise<void> {
    if (event.userId === null || noticeOf(event) === null) return;
    const user = await this.users.find(event.userId);
    if (!(user?.emailVerifiedAt instanceof Date)) return;
    const { type, userId, ip, userAgent, keyPrefix, botId, exchange, details } = event;
    const data = { type, userId, ip, userAgent, keyPrefix, botId, exchange, details };
    const topic = isNeverBundled(event) ? `${type} ${event.id}` : type;
    await this.outbox.add({ kind: NOTICE_MAIL, recipient: user.email, data, topic });
  }

  async compose(job: MailJob): Promise<MailContent | null> {
    const event = DATA.parse(job.data);
    const notice = noticeOf(event);
    const user = await this.users.find(event.userId);
    if (notice === null || user?.emailVerifiedAt === null) return null;
    const parts = [job, ...job.parts];
    // A mail to an address that nobody has proved holds nothing that its sender may have chosen (S-46).
    const isProved = user?.email === job.recipient;
    return {
      subject: notice.subject,
      paragraphs: [notice.text, ...timesOf(parts.length)],
      link: { label: 'Set a new password', url: `${this.settings.publicUrl}/dashboard/forgot-password` },
      facts: parts.slice(-MAX_LISTED).map((part) => factsOf(part, isProved)),
      closing: notice.closing,
    };
  }
}

/** The sentence about the number of events, where there are several. */
function timesOf(count: number): string[] {
  if (count === 1) return [];
  const listed = count > MAX_LISTED ? ` These are the last ${MAX_LISTED}; your account's activity shows all.` : '';
  return [`This happened ${count} times within a short time.${listed}`];
}

function factsOf({ data, createdAt }: MailPart, isProved: boolean): FactGroup {
  const event = DATA.parse(data);
  return [
    ['When', `${createdAt.toISOString().slice(0, 19).replace('T', ' ')} UTC`],
    ...(event.ip === '' ? [] : ([['Address', event.ip]] as const)),
    ...(isProved && event.userAgent !== '' ? ([['Client', clientName(event.userAgent)]] as const) : []),
    ...(isProved && event.botId !== null && typeof event.details.name === 'string'
      ? ([['Name', event.details.name]] as const)
      : []),
    ...(noticeOf(event)?.facts ?? []),
  ];
}

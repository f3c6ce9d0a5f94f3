import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { ActivityService } from '../../activity/activity.service.js';
import { Settings } from '../../platform/config/settings.js';
import type { MailOutbox } from '../../platform/mail/mail-outbox.js';
import type { MailComposer, MailContent, MailJob } from '../../platform/mail/mail.js';
import { UsersService } from '../../users/users.service.js';
import { AccountTokens } from '../tokens/account-tokens.js';
import type { TokenSubject } from '../tokens/account-tokens.repository.js';
import { PendingSignUpsRepository } from '../tokens/pending-signups.repository.js';

/** `2026-01-31 12:00 UTC` */
function atMinute(date: Date): string {
  return `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

const IGNORE = 'If this was not you, ignore this mail: nothing happens without the link.';

const SEVERAL =
  'More than one sign-up waits for this address. Only its owner can follow the link, so none of their passwords will count: you are signed in and then set your own.';

const ACCOUNT = [
  'If it was you, follow the link within 24 hours, in the browser that you signed up with: there everything stays as it is.',
  'Followed anywhere else, the link makes the account yours and empties it, as somebody else may have made it: password, sessions, API key and exchange credentials are removed. You are signed in and then set your own password.',
];

/** For an account whose address is still to be proved. Repeats no text that was chosen at sign-up (S-12, S-46). */
function accountVerificationText(url: string, signedUpAt: Date): MailContent {
  return {
    subject: 'Verify your e-mail address',
    paragraphs: [
      `Somebody signed up to Trading Proxy with this address on ${atMinute(signedUpAt)}, and has an account since then.`,
      ...ACCOUNT,
    ],
    link: { label: 'Verify the address', url },
    closing: [IGNORE],
  };
}

/** For a pending sign-up. Repeats no text that was chosen at sign-up, since the reader may be somebody else (S-10, S-46). */
function verificationText(url: string, signedUpAt: Date, isAlone = true): MailContent {
  return {
    subject: 'Verify your e-mail address',
    paragraphs: [
      `Somebody signed up to Trading Proxy with this address on ${atMinute(signedUpAt)}.`,
      'If it was you, follow the link within 24 hours to verify the address.',
      ...(isAlone ? [] : [SEVERAL]),
    ],
    link: { label: 'Verify the address', url },
    closing: [IGNORE],
  };
}

/** For the owner of an address that somebody signs up with again (S-7). */
function knownAddressText(at: Date): MailContent {
  return {
    subject: 'Somebody signed up with your address',
    paragraphs: [
      `Somebody tried to sign up to Trading Proxy with this address on ${atMinute(at)}. You have an account already, and nothing about it was changed.`,
      'If it was you, sign in as usual, or ask for a password reset if you have lost the password.',
    ],
    closing: ['If this was not you, there is nothing to do.'],
  };
}

function resetText(url: string): MailContent {
  return {
    subject: 'Set a new password',
    paragraphs: [
      'Somebody asked for a new password for this address at Trading Proxy.',
      'If it was you, follow the link within 30 minutes to set it. It ends every session of the account.',
    ],
    link: { label: 'Set a new password', url },
    closing: [IGNORE],
  };
}

const SIGN_UP_DATA = z.object({ sign_up_id: z.string() });
const VERIFICATION_DATA = z.object({ user_id: z.string() });
const RESET_DATA = z.object({
  origin: z.object({ id: z.string(), ip: z.string(), userAgent: z.string() }).nullable(),
});

/** Makes links with a new token, in the fragment, below the configured address only (S-9, S-46). */
@Injectable()
export class MailLinks {
  readonly #base: string;

  constructor(
    settings: Settings,
    private readonly tokens: AccountTokens,
  ) {
    this.#base = `${settings.publicUrl}/dashboard`;
  }

  async toVerify(subject: TokenSubject): Promise<string> {
    const token = await this.tokens.issue('verify', subject);
    return `${this.#base}/verify-email#token=${token.reveal()}`;
  }

  async toReset(subject: TokenSubject): Promise<string> {
    const token = await this.tokens.issue('reset', subject);
    return `${this.#base}/reset-password#token=${token.reveal()}`;
  }
}

/** For a sign-up: its own link, or a notice to the owner who has proved the address before (S-7, S-10, S-55). */
@Injectable()
export class SignUpMailComposer implements MailComposer {
  constructor(
    private readonly users: UsersService,
    private readonly pending: PendingSignUpsRepository,
    private readonly links: MailLinks,
  ) {}

  async compose({ recipient: email, data, createdAt }: MailJob): Promise<MailContent | null> {
    const { sign_up_id: id } = SIGN_UP_DATA.parse(data);
    const [owner, signUp] = [await this.users.findByEmail(email), await this.pending.find(id)];
    if (owner !== null) {
      await this.pending.remove(id);
      const isOwnerNotified = owner.id !== id && owner.emailVerifiedAt !== null;
      return isOwnerNotified ? knownAddressText(createdAt) : null;
    }
    if (signUp === null) return null;
    const isAlone = await this.pending.isAlone(signUp);
    return verificationText(await this.links.toVerify({ subjectId: id, email }), signUp.createdAt, isAlone);
  }
}

/** For an account that exists before its address is proved (specification.md 3, whitelist mode). */
@Injectable()
export class VerificationMailComposer implements MailComposer {
  constructor(
    private readonly users: UsersService,
    private readonly links: MailLinks,
  ) {}

  async compose({ recipient: email, data }: MailJob): Promise<MailContent | null> {
    const { user_id: id } = VERIFICATION_DATA.parse(data);
    const user = await this.users.find(id);
    if (user?.emailVerifiedAt !== null) return null;
    return accountVerificationText(await this.links.toVerify({ subjectId: id, email }), user.createdAt);
  }
}

/** For a reset: of an account, or of pending sign-ups; none for an unknown address (contract.md 4). */
@Injectable()
export class ResetMailComposer implements MailComposer {
  constructor(
    private readonly users: UsersService,
    private readonly pending: PendingSignUpsRepository,
    private readonly links: MailLinks,
    private readonly activity: ActivityService,
  ) {}

  async compose({ recipient: email, data, attempts }: MailJob): Promise<MailContent | null> {
    const user = await this.users.findByEmail(email);
    if (user?.disabledAt instanceof Date) return null;
    const subjectId = user?.id ?? (await this.pending.findNewest(email))?.id;
    if (subjectId === undefined) return null;
    const origin = RESET_DATA.parse(data).origin ?? undefined;
    if (attempts === 1) await this.activity.record({ type: 'password_reset_requested', userId: subjectId, origin });
    return resetText(await this.links.toReset({ subjectId, email }));
  }
}

/** Composes only the newest mail of its kind, so that no mail that is tried again late ends a newer link (S-9, S-55). */
export class NewestOnlyComposer implements MailComposer {
  constructor(
    private readonly outbox: MailOutbox,
    private readonly composer: MailComposer,
  ) {}

  async compose(job: MailJob): Promise<MailContent | null> {
    return (await this.outbox.isSuperseded(job)) ? null : this.composer.compose(job);
  }
}

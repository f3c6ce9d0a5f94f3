import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { ActivityService } from '../../activity/activity.service.js';
import type { MailAuthor, MailContent, MailJob } from '../../platform/mail/mail.js';
import { UsersService } from '../../users/users.service.js';
import { PendingSignUpsRepository } from '../tokens/pending-signups.repository.js';
import { MailLinks } from './mail-links.js';
import { knownAddressText, resetText, verificationText } from './mail-texts.js';

const SIGN_UP_DATA = z.object({ sign_up_id: z.string() });
const VERIFICATION_DATA = z.object({ user_id: z.string() });
const RESET_DATA = z.object({
  origin: z.object({ id: z.string(), ip: z.string(), userAgent: z.string() }).nullable(),
});

/** A sign-up: its own link, or a word to the owner who has proved the address before (S-7, S-10, S-55). */
@Injectable()
export class SignUpMailAuthor implements MailAuthor {
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
      const isToBeTold = owner.id !== id && owner.emailVerifiedAt !== null;
      return isToBeTold ? knownAddressText(createdAt) : null;
    }
    if (signUp === null) return null;
    const isAlone = await this.pending.isAlone(signUp);
    return verificationText(await this.links.toVerify({ subjectId: id, email }), signUp.createdAt, isAlone);
  }
}

/** An account that exists before its address is proved (specification 3, whitelist mode). */
@Injectable()
export class VerificationMailAuthor implements MailAuthor {
  constructor(
    private readonly users: UsersService,
    private readonly links: MailLinks,
  ) {}

  async compose({ recipient: email, data }: MailJob): Promise<MailContent | null> {
    const { user_id: id } = VERIFICATION_DATA.parse(data);
    const user = await this.users.find(id);
    if (user?.emailVerifiedAt !== null) return null;
    return verificationText(await this.links.toVerify({ subjectId: id, email }), user.createdAt);
  }
}

/** A reset: for an account, or for sign-ups that wait; nothing for an unknown address (DESIGN 4). */
@Injectable()
export class ResetMailAuthor implements MailAuthor {
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

/** All of them. */
@Injectable()
export class AccountMailAuthors {
  constructor(
    readonly signUp: SignUpMailAuthor,
    readonly verification: VerificationMailAuthor,
    readonly reset: ResetMailAuthor,
  ) {}
}

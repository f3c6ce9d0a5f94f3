import { Injectable } from '@nestjs/common';
import { MailOutbox } from '../../platform/mail/mail-outbox.js';
import { currentRequest } from '../../platform/requests/request-context.js';
import type { User } from '../../users/users.service.js';

export const SIGN_UP_MAIL = 'sign_up';
export const VERIFICATION_MAIL = 'verification';
export const RESET_MAIL = 'reset';

/** Asks for mails about accounts; what becomes of each is decided when it is written (S-6). */
@Injectable()
export class AccountMails {
  constructor(private readonly outbox: MailOutbox) {}

  /** To whoever owns an address that somebody signed up with. */
  askForSignUp(email: string, signUpId: string): Promise<void> {
    return this.outbox.add({ kind: SIGN_UP_MAIL, recipient: email, data: { sign_up_id: signUpId } });
  }

  /** To an account whose address is still to be proved. */
  askForVerification(user: User): Promise<void> {
    return this.outbox.add({ kind: VERIFICATION_MAIL, recipient: user.email, data: { user_id: user.id } });
  }

  /** To whoever owns an address, known or not. */
  askForReset(email: string): Promise<void> {
    return this.outbox.add({ kind: RESET_MAIL, recipient: email, data: { origin: currentRequest() ?? null } });
  }
}

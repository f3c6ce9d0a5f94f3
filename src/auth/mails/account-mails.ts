import { Injectable } from '@nestjs/common';
import { networkOf } from '../../platform/limits/client-network.js';
import { MailOutbox } from '../../platform/mail/mail-outbox.js';
import { currentOrigin } from '../../platform/logging/current-request.js';
import { currentRequest } from '../../platform/http/request-context.js';
import { type User, UsersService } from '../../users/users.service.js';

export const SIGN_UP_MAIL = 'sign_up';
export const VERIFICATION_MAIL = 'verification';
export const VERIFICATION_AGAIN_MAIL = 'verification_again';
export const RESET_MAIL = 'reset';

/** The network of the current request, which the limits of mails count (S-55). */
function askingNetwork(): string {
  return networkOf(currentRequest()?.ip ?? '');
}

/** Asks for mails about accounts; its composer decides later what becomes of each (S-6). */
@Injectable()
export class AccountMails {
  constructor(
    private readonly outbox: MailOutbox,
    private readonly users: UsersService,
  ) {}

  /** To the owner of an address that somebody signed up with. */
  askForSignUp(email: string, signUpId: string): Promise<void> {
    const data = { sign_up_id: signUpId, network: askingNetwork() };
    return this.outbox.add({ kind: SIGN_UP_MAIL, recipient: email, data, goesFirst: false });
  }

  /** To an account whose address is still to be proved. */
  askForVerification(user: User): Promise<void> {
    const data = { user_id: user.id, network: askingNetwork() };
    return this.outbox.add({ kind: VERIFICATION_MAIL, recipient: user.email, data });
  }

  /** As `askForVerification`, where the signed-in user asks for it; that has limits of its own. */
  askForVerificationAgain({ id, email }: User): Promise<void> {
    return this.outbox.add({ kind: VERIFICATION_AGAIN_MAIL, recipient: email, data: { user_id: id } });
  }

  /** To the owner of an address, known or not; both cost the same (S-6). The mail of an account leaves first (S-55). */
  async askForReset(email: string): Promise<void> {
    const data = { origin: currentOrigin(), network: askingNetwork() };
    const goesFirst = (await this.users.findByEmail(email)) !== null;
    await this.outbox.add({ kind: RESET_MAIL, recipient: email, data, goesFirst });
  }
}

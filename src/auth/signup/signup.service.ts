import { Injectable } from '@nestjs/common';
import { PasswordHasher } from '../../platform/crypto/password-hasher.js';
import { assertStrongPassword } from '../password-policy/password-policy.js';
import type { SignedIn } from '../sessions/session-starter.js';
import { AccessMode } from './access-mode.js';
import { ApprovedSignUp } from './approved-signup.js';
import { OpenSignUp } from './open-signup.js';
import type { SignUp } from './signup.js';

/** `POST /auth/signup` in both access modes (specification 4.1). */
@Injectable()
export class SignUpService {
  constructor(
    private readonly mode: AccessMode,
    private readonly hasher: PasswordHasher,
    private readonly open: OpenSignUp,
    private readonly approved: ApprovedSignUp,
  ) {}

  /** The id of a sign-up that waits, or a session. Throws `weak_password`, `signup_not_allowed`, `service_unavailable`. */
  async signUp({ email, name, password }: SignUp): Promise<SignedIn | string> {
    assertStrongPassword(password, email);
    const passwordHash = await this.hasher.hash(password);
    const checked = { email, name, passwordHash };
    return this.mode.isOpen ? this.open.wait(checked) : this.approved.enter(checked);
  }
}

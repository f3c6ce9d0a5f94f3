import { Module } from '@nestjs/common';
import { ActivityModule } from '../activity/activity.module.js';
import { AccessTokenKeys } from '../platform/crypto/access-token-keys.js';
import { MailComposers } from '../platform/mail/mail-composers.js';
import { MailOutbox } from '../platform/mail/mail-outbox.js';
import { UsersModule } from '../users/users.module.js';
import { ApiKeysModule } from '../api-keys/api-keys.module.js';
import { CredentialsModule } from '../credentials/credentials.module.js';
import { AccountContents } from './contents/account-contents.js';
import { AccountRemovalService } from './account/account-removal.service.js';
import { AccountController } from './account/account.controller.js';
import { PasswordChangeService } from './passwords/password-change.service.js';
import { PasswordCheck } from './passwords/password-check.js';
import { PasswordController } from './passwords/password.controller.js';
import { PasswordResetService } from './passwords/password-reset.service.js';
import { AuthRetention } from './auth-retention.js';
import { AuthRowsRepository } from './auth-rows.repository.js';
import { AuthController } from './auth.controller.js';
import { LogInOutcomes } from './login/login-outcomes.js';
import { LogInService } from './login/login.service.js';
import {
  MailLinks,
  NewestOnlyComposer,
  ResetMailComposer,
  SignUpMailComposer,
  VerificationMailComposer,
} from './mails/account-mail.composers.js';
import { AccountMails, RESET_MAIL, SIGN_UP_MAIL, VERIFICATION_MAIL } from './mails/account-mails.js';
import { AuthRates } from './limits/auth-rates.js';
import { LogInLimits } from './limits/login-limits.js';
import { LimitedComposer, MailLimits } from './limits/mail-limits.js';
import { SilentLimit } from './limits/silent-limit.js';
import { OAuthController } from './oauth/oauth.controller.js';
import { OAuthService } from './oauth/oauth.service.js';
import { OAuthSignIn } from './oauth/oauth-signin.js';
import { AccessTokens } from './sessions/access-tokens.js';
import { JwtStrategy } from './sessions/jwt.strategy.js';
import { KnownDevicesRepository } from './sessions/known-devices.repository.js';
import { RefreshController } from './sessions/refresh.controller.js';
import { RefreshService } from './sessions/refresh.service.js';
import { RefreshTokens } from './sessions/refresh-tokens.js';
import { SessionStarter } from './sessions/session-starter.js';
import { SessionsController } from './sessions/sessions.controller.js';
import { SessionsRepository } from './sessions/sessions.repository.js';
import { SessionsService } from './sessions/sessions.service.js';
import { NewAccounts } from './signup/new-accounts.js';
import { PendingSignUpsRepository } from './tokens/pending-signups.repository.js';
import { SignUpService } from './signup/signup.service.js';
import { VerificationService } from './signup/verification.service.js';
import { WhitelistRepository } from './signup/whitelist.repository.js';
import { UsersAdminService } from './account/users-admin.service.js';
import { WhitelistService } from './signup/whitelist.service.js';
import { AccountTokens } from './tokens/account-tokens.js';
import { AccountTokensRepository } from './tokens/account-tokens.repository.js';

/** How people get in: sign-up, verification, log-in, sessions. */
@Module({
  imports: [ActivityModule, ApiKeysModule, CredentialsModule, UsersModule],
  controllers: [
    RefreshController,
    SessionsController,
    AccountController,
    AuthController,
    OAuthController,
    PasswordController,
  ],
  providers: [
    AccessTokenKeys,
    AccessTokens,
    AccountContents,
    AccountMails,
    AccountRemovalService,
    AccountTokens,
    AccountTokensRepository,
    AuthRetention,
    AuthRates,
    AuthRowsRepository,
    JwtStrategy,
    KnownDevicesRepository,
    LogInLimits,
    LogInOutcomes,
    LogInService,
    MailLimits,
    MailLinks,
    NewAccounts,
    OAuthService,
    OAuthSignIn,
    PasswordChangeService,
    PasswordCheck,
    PasswordResetService,
    PendingSignUpsRepository,
    RefreshService,
    RefreshTokens,
    ResetMailComposer,
    SessionStarter,
    SessionsRepository,
    SessionsService,
    SignUpMailComposer,
    SilentLimit,
    SignUpService,
    VerificationMailComposer,
    VerificationService,
    UsersAdminService,
    WhitelistRepository,
    WhitelistService,
  ],
})
export class AuthModule {
  constructor(
    composers: MailComposers,
    outbox: MailOutbox,
    limits: MailLimits,
    signUp: SignUpMailComposer,
    verification: VerificationMailComposer,
    reset: ResetMailComposer,
  ) {
    composers.register(SIGN_UP_MAIL, new LimitedComposer(limits, new NewestOnlyComposer(outbox, signUp)));
    composers.register(VERIFICATION_MAIL, new LimitedComposer(limits, verification));
    composers.register(RESET_MAIL, new LimitedComposer(limits, new NewestOnlyComposer(outbox, reset)));
  }
}

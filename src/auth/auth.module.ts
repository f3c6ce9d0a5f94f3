import { Module } from '@nestjs/common';
import { ActivityModule } from '../activity/activity.module.js';
import { ApiKeysModule } from '../api-keys/api-keys.module.js';
import { BotsModule } from '../bots/bots.module.js';
import { CredentialsModule } from '../credentials/credentials.module.js';
import { AccessTokenKeys } from '../platform/crypto/access-token-keys.js';
import { MailComposers } from '../platform/mail/mail-composers.js';
import { MailOutbox } from '../platform/mail/mail-outbox.js';
import { UsersModule } from '../users/users.module.js';
import { AccountController } from './account.controller.js';
import { AuthRetentionRepository } from './auth-retention.repository.js';
import { AuthController } from './auth.controller.js';
import { OAuthController } from './oauth.controller.js';
import { PasswordController } from './password.controller.js';
import { RefreshController } from './refresh.controller.js';
import { SessionsController } from './sessions.controller.js';
import { AccountRemovalService } from './account/account-removal.service.js';
import { ConfirmationService, ProviderProof } from './account/confirmation.service.js';
import { OAuthSignIn } from './oauth/oauth-signin.js';
import { OAuthService } from './oauth/oauth.service.js';
import { LogInOutcomes, LogInService } from './login/login.service.js';
import { PasswordChangeService } from './passwords/password-change.service.js';
import { PasswordCheck } from './passwords/password-check.js';
import { PasswordResetService } from './passwords/password-reset.service.js';
import { NewAccounts } from './signup/new-accounts.js';
import { SignUpService } from './signup/signup.service.js';
import { VerificationRequestsService } from './signup/verification-requests.service.js';
import { VerificationService } from './signup/verification.service.js';
import { WhitelistRepository } from './signup/whitelist.repository.js';
import { WhitelistService } from './signup/whitelist.service.js';
import {
  MailLinks,
  NewestOnlyComposer,
  ResetMailComposer,
  SignUpMailComposer,
  VerificationMailComposer,
} from './mails/account-mail.composers.js';
import {
  AccountMails,
  RESET_MAIL,
  SIGN_UP_MAIL,
  VERIFICATION_AGAIN_MAIL,
  VERIFICATION_MAIL,
} from './mails/account-mails.js';
import { AccountContents } from './contents/account-contents.js';
import { AuthRates } from './limits/auth-rates.js';
import { LogInLimits } from './limits/login-limits.js';
import { LimitedComposer, MailLimits, StrangerMails } from './limits/mail-limits.js';
import { AccessTokens } from './sessions/access-tokens.js';
import { JwtStrategy } from './sessions/jwt.strategy.js';
import { KnownDevicesRepository } from './sessions/known-devices.repository.js';
import { RefreshTokens } from './sessions/refresh-tokens.js';
import { RefreshService } from './sessions/refresh.service.js';
import { SessionStarter, SignInBounds } from './sessions/session-starter.js';
import { SessionsRepository } from './sessions/sessions.repository.js';
import { SessionsService } from './sessions/sessions.service.js';
import { Visitors } from './sessions/visitors.js';
import { AccountTokens } from './tokens/account-tokens.js';
import { AccountTokensRepository } from './tokens/account-tokens.repository.js';
import { PendingSignUpsRepository } from './tokens/pending-signups.repository.js';

/**
 * How people get in, and out again: sign-up, verification, log-in, sessions. `.dependency-cruiser.mjs` holds the order of
 * the folders.
 */
@Module({
  imports: [ActivityModule, ApiKeysModule, BotsModule, CredentialsModule, UsersModule],
  controllers: [
    AccountController,
    AuthController,
    OAuthController,
    PasswordController,
    RefreshController,
    SessionsController,
  ],
  providers: [
    AccessTokenKeys,
    AuthRetentionRepository,
    AccountRemovalService,
    ConfirmationService,
    OAuthSignIn,
    OAuthService,
    ProviderProof,
    LogInOutcomes,
    LogInService,
    PasswordChangeService,
    PasswordCheck,
    PasswordResetService,
    NewAccounts,
    SignUpService,
    VerificationRequestsService,
    VerificationService,
    WhitelistRepository,
    WhitelistService,
    MailLinks,
    ResetMailComposer,
    SignUpMailComposer,
    VerificationMailComposer,
    AccountMails,
    AccountContents,
    AuthRates,
    LogInLimits,
    MailLimits,
    StrangerMails,
    AccessTokens,
    JwtStrategy,
    KnownDevicesRepository,
    RefreshTokens,
    RefreshService,
    SessionStarter,
    SessionsRepository,
    SessionsService,
    SignInBounds,
    Visitors,
    AccountTokens,
    AccountTokensRepository,
    PendingSignUpsRepository,
  ],
  exports: [AccountContents, AccountRemovalService],
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
    composers.register(VERIFICATION_AGAIN_MAIL, verification);
    composers.register(RESET_MAIL, new LimitedComposer(limits, new NewestOnlyComposer(outbox, reset)));
  }
}

import { Module } from '@nestjs/common';
import { ActivityModule } from '../activity/activity.module.js';
import { ExchangesModule } from '../exchanges/exchanges.module.js';
import { CredentialKeysCheck } from './credential-keys.check.js';
import { CredentialKeysModule } from './credential-keys.module.js';
import { CredentialOpener } from './credential-opener.js';
import { CredentialsController } from './credentials.controller.js';
import { CredentialsService } from './credentials.service.js';
import { SessionKeyReminders } from './session-key-reminders.js';
import { SessionKeysController } from './session-keys.controller.js';
import { SessionKeysService } from './session-keys.service.js';

@Module({
  imports: [ActivityModule, CredentialKeysModule, ExchangesModule],
  controllers: [CredentialsController, SessionKeysController],
  providers: [CredentialKeysCheck, CredentialOpener, CredentialsService, SessionKeyReminders, SessionKeysService],
  exports: [CredentialsService],
})
export class CredentialsModule {}

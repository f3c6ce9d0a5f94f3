import { Module } from '@nestjs/common';
import { ActivityModule } from '../activity/activity.module.js';
import { ExchangesModule } from '../exchanges/exchanges.module.js';
import { CredentialKeysCheck } from './credential-keys.check.js';
import { CredentialKeysModule } from './credential-keys.module.js';
import { CredentialsController } from './credentials.controller.js';
import { CredentialsService } from './credentials.service.js';

@Module({
  imports: [ActivityModule, CredentialKeysModule, ExchangesModule],
  controllers: [CredentialsController],
  providers: [CredentialKeysCheck, CredentialsService],
  exports: [CredentialsService],
})
export class CredentialsModule {}

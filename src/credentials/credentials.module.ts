import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ActivityModule } from '../activity/activity.module.js';
import { ExchangesModule } from '../exchanges/exchanges.module.js';
import { CredentialEntity } from './credential.entity.js';
import { CredentialKeysCheck } from './credential-keys.check.js';
import { CredentialVault } from './credential-vault.js';
import { CredentialsController } from './credentials.controller.js';
import { CredentialsRepository } from './credentials.repository.js';
import { CredentialsService } from './credentials.service.js';

@Module({
  imports: [ActivityModule, ExchangesModule, TypeOrmModule.forFeature([CredentialEntity])],
  controllers: [CredentialsController],
  providers: [CredentialKeysCheck, CredentialVault, CredentialsService, CredentialsRepository],
  exports: [CredentialsService],
})
export class CredentialsModule {}

import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CredentialEntity } from './credential.entity.js';
import { CredentialKeys } from './credential-keys.js';
import { CredentialVault } from './credential-vault.js';
import { CredentialSetsRepository } from './credential-sets.repository.js';
import { CredentialsRepository } from './credentials.repository.js';
import { EncryptionCounts } from './encryption-counts.js';
import { EncryptionCountsRepository } from './encryption-counts.repository.js';
import { EncryptionKeysRepository } from './encryption-keys.repository.js';
import { SealedRowsRepository } from './sealed-rows.repository.js';
import { SessionKeysRepository } from './session-keys.repository.js';

const SERVICES = [
  CredentialsRepository,
  CredentialSetsRepository,
  SessionKeysRepository,
  CredentialVault,
  CredentialKeys,
  SealedRowsRepository,
];

/** Stored credentials, session keys and the keys that seal them: for the service and for `keys:rotate` and `keys:check`. */
@Module({
  imports: [TypeOrmModule.forFeature([CredentialEntity])],
  providers: [...SERVICES, EncryptionCounts, EncryptionCountsRepository, EncryptionKeysRepository],
  exports: SERVICES,
})
export class CredentialKeysModule {}

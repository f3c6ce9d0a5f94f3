import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CredentialEntity } from './credential.entity.js';
import { CredentialKeys } from './credential-keys.js';
import { CredentialReport } from './credential-report.js';
import { CredentialRotation } from './credential-rotation.js';
import { CredentialVault } from './credential-vault.js';
import { CredentialsRepository } from './credentials.repository.js';
import { EncryptionKeysRepository } from './encryption-keys.repository.js';

const SERVICES = [CredentialsRepository, CredentialVault, CredentialKeys];

/** Stored credentials and the keys that seal them: for the service and for `keys:rotate` and `keys:check`. */
@Module({
  imports: [TypeOrmModule.forFeature([CredentialEntity])],
  providers: [...SERVICES, EncryptionKeysRepository, CredentialReport, CredentialRotation],
  exports: SERVICES,
})
export class CredentialKeysModule {}

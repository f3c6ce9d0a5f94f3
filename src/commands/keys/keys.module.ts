import { type DynamicModule, Module } from '@nestjs/common';
import { CredentialKeysModule } from '../../credentials/credential-keys.module.js';
import { ConfigModule } from '../../platform/config/config.module.js';
import type { Settings } from '../../platform/config/settings.js';
import { CryptoModule } from '../../platform/crypto/crypto.module.js';
import { DatabaseModule } from '../../platform/database/database.module.js';
import { CredentialReport } from './credential-report.js';
import { CredentialRotation } from './credential-rotation.js';
import { KeyRowsRepository } from './key-rows.repository.js';

/** The part of the service that seals credentials: without its check at start, which `keys:check` is there to explain. */
@Module({})
export class KeysCommandModule {
  static with(settings: Settings): DynamicModule {
    const imports = [ConfigModule.with(settings), CryptoModule, DatabaseModule, CredentialKeysModule];
    return { module: KeysCommandModule, imports, providers: [CredentialReport, CredentialRotation, KeyRowsRepository] };
  }
}

import { type DynamicModule, Module } from '@nestjs/common';
import { CredentialKeysModule } from '../src/credentials/credential-keys.module.js';
import { ConfigModule } from '../src/platform/config/config.module.js';
import type { Settings } from '../src/platform/config/settings.js';
import { CryptoModule } from '../src/platform/crypto/crypto.module.js';
import { DatabaseModule } from '../src/platform/database/database.module.js';

/** The part of the service that seals credentials: without its check at start, which `keys:check` is there to explain. */
@Module({})
export class KeysCommandModule {
  static with(settings: Settings): DynamicModule {
    const imports = [ConfigModule.with(settings), CryptoModule, DatabaseModule, CredentialKeysModule];
    return { module: KeysCommandModule, imports };
  }
}

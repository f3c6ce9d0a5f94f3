import { type DynamicModule, Module } from '@nestjs/common';
import { CredentialKeysModule } from '../../credentials/credential-keys.module.js';
import { ConfigModule } from '../../platform/config/config.module.js';
import type { Settings } from '../../platform/config/settings.js';
import { CryptoModule } from '../../platform/crypto/crypto.module.js';
import type { DatabaseConnection } from '../../platform/database/database-connection.js';
import { ReadOnlyDatabaseModule } from './read-only-database.module.js';
import { BotsRepository } from '../../bots/bots.repository.js';
import { Reservations } from '../../proxy/placing/reservations.repository.js';
import { AccountIdsRepository } from './account-ids.repository.js';
import { BotInspectionService } from './bot-inspection.service.js';
import { CredentialInspectionService } from './credential-inspection.service.js';
import { ReservedOrders } from './reserved-orders.repository.js';

/** What the checks of stored rows need: the keys and a database that only reads. */
@Module({})
export class StoredModule {
  static with(settings: Settings, connection: DatabaseConnection): DynamicModule {
    return {
      module: StoredModule,
      imports: [
        ConfigModule.with(settings),
        CryptoModule,
        ReadOnlyDatabaseModule.with(connection),
        CredentialKeysModule,
      ],
      providers: [
        AccountIdsRepository,
        BotInspectionService,
        BotsRepository,
        CredentialInspectionService,
        Reservations,
        ReservedOrders,
      ],
    };
  }
}

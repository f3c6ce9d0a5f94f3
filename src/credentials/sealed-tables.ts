import type { FactoryProvider } from '@nestjs/common';
import { CredentialsRepository } from './credentials.repository.js';
import type { SealedRowsRepository } from './sealed-rows.repository.js';
import { SessionKeysRepository } from './session-keys.repository.js';

/** Token of all tables with sealed fields, which checks and changes of keys go through one after the other (S-38). */
export const SEALED_TABLES = Symbol('tables with sealed fields');

export const SEALED_TABLES_PROVIDER: FactoryProvider<readonly SealedRowsRepository[]> = {
  provide: SEALED_TABLES,
  useFactory: (credentials: CredentialsRepository, sessionKeys: SessionKeysRepository) => [credentials, sessionKeys],
  inject: [CredentialsRepository, SessionKeysRepository],
};

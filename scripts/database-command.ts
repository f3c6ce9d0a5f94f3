import { Logger } from '@nestjs/common';
import { EXCHANGE_SETTINGS } from '../src/exchanges/exchange.registry.js';
import { processEnvironment } from '../src/platform/config/environment.js';
import { Settings } from '../src/platform/config/settings.js';
import type { DatabaseConnection } from '../src/platform/database/database-connection.js';
import { findServer } from '../src/platform/database/database-server.js';
import { createLog } from '../src/platform/logging/log.js';
import { NestLogService } from '../src/platform/logging/nest-log.service.js';
import { printLines } from './print-lines.js';

/** What a command does with the database; returns the lines that it prints. */
type DatabaseCommand = (
  connection: DatabaseConnection,
  settings: Settings,
  words: readonly string[],
) => Promise<readonly string[]>;

/**
 * Runs one command of the operator on the database of the service, without the service and without a change of its schema; prints
 * its lines.
 */
export async function runDatabaseCommand(command: DatabaseCommand): Promise<void> {
  await printLines(async () => {
    const settings = Settings.read(processEnvironment(), EXCHANGE_SETTINGS);
    const log = createLog({ level: 'warn', readable: false, destination: process.stderr });
    Logger.overrideLogger(new NestLogService(log));
    const { connection, owner, server } = await findServer(settings);
    try {
      return await command(owner ?? connection, settings, process.argv.slice(2));
    } finally {
      await server?.stop();
    }
  });
}

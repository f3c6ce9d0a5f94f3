import { Logger } from '@nestjs/common';
import { EXCHANGE_SETTINGS } from '../src/exchanges/exchange.registry.js';
import { processEnvironment } from '../src/platform/config/environment.js';
import { Settings } from '../src/platform/config/settings.js';
import type { DatabaseConnection } from '../src/platform/database/database-connection.js';
import { findServer } from '../src/platform/database/database-server.js';
import { createLog } from '../src/platform/logging/log.js';
import { NestLogService } from '../src/platform/logging/nest-log.service.js';

/** What a command does with the database; returns the lines that it prints. */
export type DatabaseCommand = (
  connection: DatabaseConnection,
  settings: Settings,
  words: readonly string[],
) => Promise<readonly string[]>;

async function runOnDatabase(command: DatabaseCommand): Promise<readonly string[]> {
  const settings = Settings.read(processEnvironment(), EXCHANGE_SETTINGS);
  Logger.overrideLogger(new NestLogService(createLog({ level: 'warn', readable: false, destination: process.stderr })));
  const { connection, owner, server } = await findServer(settings);
  try {
    return await command(owner ?? connection, settings, process.argv.slice(2));
  } finally {
    await server?.stop();
  }
}

/**
 * Runs one command of the operator on the database of the service, without the service and without a change of its schema; prints
 * its lines. A fault is one line on stderr and exit code 1.
 */
export async function runDatabaseCommand(command: DatabaseCommand): Promise<void> {
  try {
    const lines = await runOnDatabase(command);
    process.stdout.write(lines.map((line) => `${line}\n`).join(''));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : 'unknown fault'}\n`);
    process.exitCode = 1;
  }
}

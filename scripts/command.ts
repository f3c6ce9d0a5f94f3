import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EXCHANGE_SETTINGS } from '../src/exchanges/exchange.registry.js';
import { type Environment, processEnvironment } from '../src/platform/config/environment.js';
import { Settings } from '../src/platform/config/settings.js';
import { createLog } from '../src/platform/logging/log.js';
import { NestLogService } from '../src/platform/logging/nest-log.service.js';
import { printLines } from './print-lines.js';

/** What a command says when it is used wrongly. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

type Command = (app: INestApplicationContext, words: readonly string[]) => Promise<readonly string[]>;

/** The module of what a command needs of the service. */
interface Root {
  with(settings: Settings): DynamicModule;
}

type ReadSettings = (environment: Environment) => Settings;

async function runInService(command: Command, root: Root, read: ReadSettings): Promise<readonly string[]> {
  const settings = read(processEnvironment());
  const log = createLog({ level: 'warn', readable: false, destination: process.stderr });
  const app = await NestFactory.createApplicationContext(root.with(settings), {
    logger: new NestLogService(log),
    abortOnError: false,
  });
  try {
    return await command(app, process.argv.slice(2));
  } finally {
    await app.close();
  }
}

/** Runs one command of the operator beside the service, on the same settings and database; prints its lines. */
export async function runCommand(
  command: Command,
  root: Root,
  read: ReadSettings = (environment) => Settings.read(environment, EXCHANGE_SETTINGS),
): Promise<void> {
  await printLines(() => runInService(command, root, read));
}

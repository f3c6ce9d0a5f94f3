import { join } from 'node:path';
import { type LoggerService, Module } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { Settings } from '../../src/platform/config/settings.js';
import { DatabaseModule } from '../../src/platform/database/database.module.js';
import { Transactions } from '../../src/platform/database/transactions.js';

export interface ServiceModule {
  readonly app: TestingModule;
  readonly transactions: Transactions;
}

@Module({})
class SettingsModule {}

/** What modules have logged so far. */
export const logged: string[] = [];

class Recorder implements LoggerService {
  log(message: string): void {
    logged.push(message);
  }
  warn(message: string): void {
    logged.push(message);
  }
  error(message: string): void {
    logged.push(message);
  }
}

/** The module as the service uses it. */
export async function startModule(workspace: string, environment: Record<string, string>): Promise<ServiceModule> {
  const settings = Settings.read({ DATA_DIR: join(workspace, 'settings'), ...environment });
  const settingsModule = {
    module: SettingsModule,
    global: true,
    providers: [{ provide: Settings, useValue: settings }],
    exports: [Settings],
  };
  const app = await Test.createTestingModule({ imports: [settingsModule, DatabaseModule] })
    .setLogger(new Recorder())
    .compile();
  return { app, transactions: app.get(Transactions) };
}

/** What it rejects with. */
export async function reasonOf(work: () => Promise<unknown>): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error('It did not fail.');
}

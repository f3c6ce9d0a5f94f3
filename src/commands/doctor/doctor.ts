import { NestFactory } from '@nestjs/core';
import { ExchangeRegistry } from '../../exchanges/exchange.registry.js';
import type { Environment } from '../../platform/config/environment.js';
import type { Settings } from '../../platform/config/settings.js';
import { within } from '../../platform/time/within.js';
import { type DatabaseLook, databaseChecks, lookAtDatabase } from './database.checks.js';
import type { FoundServer } from './database.repository.js';
import { DoctorModule } from './doctor.module.js';
import { ExchangeChecks } from './exchange.checks.js';
import { type Check, type CheckResult, fail, type Finding, runChecks } from './finding.js';
import { checkMail } from './mail.check.js';
import { machineChecks } from './machine.checks.js';
import { type OwnSettings, readOwnSettings } from './own-settings.js';
import { checkRedis } from './redis.check.js';
import { StoredChecks } from './stored.checks.js';
import { SecretTexts } from './secret-texts.js';

/** Longest time for closing what was opened, in ms; then the process ends. */
const CLOSE_LIMIT_MS = 2_000;

type Closing = () => Promise<unknown>;

/** A check that needs one setting, which may be faulty. */
function withSetting(
  { settings, faults }: OwnSettings,
  name: string,
  check: (settings: Settings) => Promise<Finding>,
): Check['run'] {
  const isFaulty = faults.some((fault) => fault.name.replace(/_FILE$/, '') === name);
  if (settings === null || isFaulty) return () => fail(`${name} cannot be used.`, 'See the check of the settings.');
  return () => check(settings);
}

/** The checks that need the exchanges' adapters, and those of what a user has stored. */
async function exchangeChecks(
  { settings, faults }: OwnSettings,
  stored: StoredChecks,
  user: string | null,
  closings: Closing[],
): Promise<Check[]> {
  if (settings === null) return [];
  const options = { logger: false, abortOnError: false } as const;
  const app = await NestFactory.createApplicationContext(DoctorModule.with(settings), options);
  closings.push(() => app.close());
  const faulty = new Set(faults.map(({ name }) => name.replace(/_FILE$/, '')));
  const ofUser = user === null ? [] : await stored.ofUser(user, app.get(ExchangeRegistry).all);
  return [...app.get(ExchangeChecks).all(faulty), ...ofUser];
}

async function allClosed(closings: readonly Closing[]): Promise<void> {
  await within(CLOSE_LIMIT_MS, Promise.allSettled(closings.map((close) => close())), () => undefined);
}

/**
 * Checks an installation from end to end: what needs nothing else, the database, mail, Redis, the exchanges, and on demand what
 * the user of an id or address has stored. Changes nothing; no check waits for longer than 16 s, and no result holds a secret
 * (contract.md 8.1).
 */
export async function examine(environment: Environment, user: string | null = null): Promise<CheckResult[]> {
  const own = readOwnSettings(environment);
  const closings: Closing[] = [];
  const look: Promise<DatabaseLook> = lookAtDatabase(own, (server: FoundServer) => closings.push(server.close));
  const stored = new StoredChecks(own, look);
  closings.unshift(() => stored.close());
  const checks: Check[] = [
    ...machineChecks(own),
    ...databaseChecks(own, look),
    stored.keys(),
    { id: 'mail', run: withSetting(own, 'SMTP_URL', checkMail) },
    { id: 'redis', run: withSetting(own, 'REDIS_URL', checkRedis) },
    ...(await exchangeChecks(own, stored, user, closings)),
  ];
  try {
    const hidden = new SecretTexts(own.settings);
    return (await runChecks(checks)).map((result) => hidden.removedFrom(result));
  } finally {
    await allClosed(closings);
  }
}

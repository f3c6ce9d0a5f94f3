import { statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isNativeError } from 'node:util/types';
import { parseEnv } from 'node:util';
import { EXCHANGE_SETTINGS } from '../../exchanges/exchange.registry.js';
import { CORE_SETTINGS } from '../../platform/config/core.settings.js';
import { type Environment, readVariable, type SettingFault } from '../../platform/config/environment.js';
import { freshSecrets } from '../../platform/config/generated-secrets.js';
import { Settings, SettingsError } from '../../platform/config/settings.js';
import { plain } from './failure.js';

const SECRETS = ['JWT_SECRET', 'ENCRYPTION_KEYS', 'PASSWORD_PEPPER'] as const;

/** The settings as the service would read them, with what is wrong about them. */
export interface OwnSettings {
  /** Settings with faults have their defaults, or made-up secrets. Null where even these cannot be used. */
  readonly settings: Settings | null;
  readonly faults: readonly SettingFault[];
  /** Where the service gets its secrets from; `none` where its first start will make them. */
  readonly secrets: 'environment' | 'file' | 'none';
  readonly isProduction: boolean;
}

function textOf(environment: Environment, name: string): string | undefined {
  const value = readVariable(environment, name);
  return typeof value === 'string' ? value : undefined;
}

function without(environment: Environment, names: readonly string[]): Environment {
  const dropped = new Set(names.flatMap((name) => [name, `${name}_FILE`]));
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !dropped.has(name)));
}

function secretsOf(environment: Environment): OwnSettings['secrets'] {
  if (SECRETS.every((name) => readVariable(environment, name) !== undefined)) return 'environment';
  const dataDir = resolve(textOf(environment, 'DATA_DIR') ?? CORE_SETTINGS.DATA_DIR.fallback);
  return isThere(join(dataDir, 'secrets.env')) ? 'file' : 'none';
}

/** False too where nobody can tell: a directory that this user may not enter, or that is none. The settings say what is wrong with it. */
function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** As the environment, with a made-up secret for each that is not set: so that reading makes no file. */
function completed(environment: Environment): Environment {
  const missing = SECRETS.filter((name) => readVariable(environment, name) === undefined);
  const fresh = parseEnv(freshSecrets());
  return { ...environment, ...Object.fromEntries(missing.map((name) => [name, fresh[name]])) };
}

function faultsIn(error: unknown): readonly SettingFault[] {
  if (error instanceof SettingsError) return error.faults;
  // A file of secrets that others may read stops the start: its message names the file.
  const message = isNativeError(error) ? plain(error.message) : 'readable';
  return SECRETS.map((name) => ({ name, expected: `readable: ${message}` }));
}

/** Reads what has no fault, so that the checks which need nothing else can go on. */
function readSound(environment: Environment, faults: readonly SettingFault[]): Settings | null {
  const names = faults.map(({ name }) => name.replace(/_FILE$/, ''));
  // Production wants more to be set, and another directory may not be there to be written to.
  const isProduction = textOf(environment, 'NODE_ENV') === 'production';
  const sound = without(environment, [...names, ...(isProduction ? ['NODE_ENV'] : [])]);
  const place = isProduction || names.includes('DATA_DIR') ? { DATA_DIR: tmpdir() } : {};
  try {
    return Settings.read(completed({ ...sound, ...place }), EXCHANGE_SETTINGS);
  } catch {
    return null;
  }
}

/** Reads and checks all settings as the start does, and makes nothing: no file of secrets either (contract.md 2, 8.1). */
export function readOwnSettings(environment: Environment): OwnSettings {
  const isProduction = textOf(environment, 'NODE_ENV') === 'production';
  const secrets = secretsOf(environment);
  const source = !isProduction && secrets === 'none' ? completed(environment) : environment;
  try {
    return { settings: Settings.read(source, EXCHANGE_SETTINGS), faults: [], secrets, isProduction };
  } catch (error) {
    const faults = faultsIn(error);
    return { settings: readSound(environment, faults), faults, secrets, isProduction };
  }
}

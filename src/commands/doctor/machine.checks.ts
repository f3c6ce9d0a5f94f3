import { accessSync, constants, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Check, fail, type Finding, ok, warn } from './finding.js';
import type { OwnSettings } from './own-settings.js';

const MIB = 1_024 * 1_024;
/** The embedded database stops when the disk is full; what it writes at its busiest in an hour fits in this. */
const SCARCE_BYTES = 1_024 * MIB;
const TOO_FEW_BYTES = 100 * MIB;

const OTHERS_MAY_WRITE = 0o002;
const IS_STICKY = 0o1000;

const SECRET_NAMES = 'JWT_SECRET, ENCRYPTION_KEYS and PASSWORD_PEPPER';

/** The oldest version of Node.js that `package.json` allows, which a test holds it to. */
export const OLDEST_NODE = '20.19';

function isOlder(version: string, oldest: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [least = 0, leastMinor = 0] = oldest.split('.').map(Number);
  return major < least || (major === least && minor < leastMinor);
}

/** The version of Node.js, without a leading `v`. */
export function checkNode(version: string): Finding {
  if (isOlder(version, OLDEST_NODE))
    return fail(`Node.js ${version} is too old.`, `Install Node.js ${OLDEST_NODE} or newer.`);
  return ok(`Node.js ${version}`);
}

/** All faults of the settings at once, by name and never with a value (contract.md 2). */
export function checkSettings({ faults, isProduction }: Pick<OwnSettings, 'faults' | 'isProduction'>): Finding {
  if (faults.length === 0) return ok(`All settings can be used${isProduction ? ', also in production' : ''}.`);
  const wrong = faults.map(({ name, expected }) => `${name} must be ${expected}`);
  return fail(`${wrong.join('; ')}.`, 'Correct these in the environment or in .env, then start the service.');
}

/** Whether the service has its own secrets, and where from. */
function checkSecrets({ secrets, faults, isProduction }: OwnSettings): Finding {
  const wrong = faults.filter(({ name }) => SECRET_NAMES.includes(name.replace(/_FILE$/, '')));
  if (wrong.length > 0) {
    const names = [...new Set(wrong.map(({ name }) => name))].join(', ');
    return fail(
      `Not all secrets can be used: ${names}.`,
      'npm run secrets prints new ones. Never change ENCRYPTION_KEYS that rows are sealed under.',
    );
  }
  if (secrets === 'environment') return ok(`${SECRET_NAMES} are set.`);
  if (isProduction) return fail(`${SECRET_NAMES} are not all set.`, 'npm run secrets prints new ones.');
  if (secrets === 'none' && faults.some(({ name }) => name.startsWith('DATA_DIR'))) {
    return warn(
      'Nobody can see whether DATA_DIR has secrets.env.',
      'See the check of the settings. Make no new secrets.',
    );
  }
  const words =
    secrets === 'file' ? 'are in secrets.env in DATA_DIR: keep a copy of it' : 'are made by the first start';
  return ok(`${SECRET_NAMES} ${words}.`);
}

function nearestDirectory(path: string): string {
  return statSync(path, { throwIfNoEntry: false }) === undefined && dirname(path) !== path
    ? nearestDirectory(dirname(path))
    : path;
}

/** Whether the service may keep files in `DATA_DIR`, and nobody else may change them. */
function checkDataDir(dataDir: string): Finding {
  const found = nearestDirectory(dataDir);
  const words = found === dataDir ? `DATA_DIR ${dataDir}` : `DATA_DIR ${dataDir}, which the first start makes,`;
  const own = 'Give it to the user that runs the service (chown, chmod 700), or set DATA_DIR to another directory.';
  try {
    accessSync(found, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return fail(`${words} cannot be read and written by this user.`, own);
  }
  const { mode } = statSync(found);
  const isOpen = found === dataDir && (mode & OTHERS_MAY_WRITE) !== 0 && (mode & IS_STICKY) === 0;
  if (isOpen) return fail(`${words} can be written by everybody on this machine.`, own);
  return ok(`${words} can be read and written.`);
}

/** Where the service writes to: as root the embedded database may lie elsewhere, behind a link. */
function writtenPlaces(dataDir: string): string[] {
  return [nearestDirectory(dataDir), nearestDirectory(join(dataDir, 'postgres'))];
}

/** Whether there is room for what the service writes. */
export function judgeFreeBytes(bytes: number): Finding {
  const words = `${Math.floor(bytes / MIB).toLocaleString('en-US')} MiB are free where DATA_DIR lies.`;
  const hint = 'Free some space: a full disk stops the embedded database, and with it every order.';
  if (bytes < TOO_FEW_BYTES) return fail(words, hint);
  return bytes < SCARCE_BYTES ? warn(words, hint) : ok(words);
}

async function checkDisk(dataDir: string): Promise<Finding> {
  const places = await Promise.all(writtenPlaces(dataDir).map((place) => statfs(place)));
  return judgeFreeBytes(Math.min(...places.map(({ bavail, bsize }) => bavail * bsize)));
}

/** What needs nobody else: Node.js, the settings, and the directory that files are kept in. */
export function machineChecks(own: OwnSettings): Check[] {
  const { settings, isProduction, faults } = own;
  const isUnknown = settings === null || faults.some(({ name }) => name.startsWith('DATA_DIR'));
  const inDataDir = (check: (dataDir: string) => Finding | Promise<Finding>): Check['run'] => {
    if (isProduction) return () => ok('Production keeps nothing in DATA_DIR.');
    if (isUnknown) return () => fail('DATA_DIR cannot be used.', 'See the settings above.');
    return () => check(settings.dataDir);
  };
  return [
    { id: 'node', run: () => checkNode(process.versions.node) },
    { id: 'settings', run: () => checkSettings(own) },
    { id: 'secrets', run: () => checkSecrets(own) },
    { id: 'data_dir', run: inDataDir(checkDataDir) },
    { id: 'disk', run: inDataDir(checkDisk) },
  ];
}

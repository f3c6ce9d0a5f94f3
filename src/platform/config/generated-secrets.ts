import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { randomBase64, randomId } from '../secrets/random.js';
import type { Environment } from './environment.js';

const FILE = 'secrets.env';
const OTHERS_MAY = 0o077;

/** New secrets as lines of an `.env` file. */
export function freshSecrets(): string {
  return [
    `JWT_SECRET=${randomBase64(48)}`,
    `ENCRYPTION_KEYS=k1:${randomBase64(32)}`,
    `PASSWORD_PEPPER=${randomBase64(48)}`,
    '',
  ].join('\n');
}

/** Writes the file whole or not at all; of two starts at once the first wins and both use its secrets. */
function createOnce(path: string): void {
  const temporary = `${path}.${randomId(8)}.tmp`;
  writeFileSync(temporary, freshSecrets(), { mode: 0o600, flag: 'wx' });
  try {
    chmodSync(temporary, 0o600);
    linkSync(temporary, path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Development secrets: generated once into `DATA_DIR`, read from there afterwards; wider rights stop the start. */
export function generateSecrets(dataDir: string): Environment {
  const path = join(dataDir, FILE);
  mkdirSync(dataDir, { recursive: true });
  if (statSync(path, { throwIfNoEntry: false }) === undefined) createOnce(path);
  if ((statSync(path).mode & OTHERS_MAY) !== 0) {
    throw new Error(`${path} must be readable by its owner only: run chmod 600 on it, or remove it to start afresh.`);
  }
  return parseEnv(readFileSync(path, 'utf8'));
}

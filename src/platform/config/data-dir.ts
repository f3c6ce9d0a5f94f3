import { accessSync, constants, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isNativeError } from 'node:util/types';
import type { SettingFault } from './environment.js';

const EVERYTHING = constants.R_OK | constants.W_OK | constants.X_OK;

/**
 * Whether we may keep files below a path; where the path does not exist yet, its nearest existing part decides. Makes nothing.
 */
function canKeepFiles(path: string): boolean {
  try {
    accessSync(path, EVERYTHING);
    return statSync(path).isDirectory();
  } catch (error) {
    const isMissing = isNativeError(error) && 'code' in error && error.code === 'ENOENT';
    return isMissing && dirname(path) !== path && canKeepFiles(dirname(path));
  }
}

/** Production keeps nothing in `DATA_DIR` (contract.md 2). */
export function dataDirFaults(core: ReadonlyMap<string, unknown>): SettingFault[] {
  const dataDir = core.get('DATA_DIR');
  const isUnused = core.get('NODE_ENV') === 'production' || typeof dataDir !== 'string';
  if (isUnused || canKeepFiles(resolve(dataDir))) return [];
  return [{ name: 'DATA_DIR', expected: 'a directory that this user may read and write, or the path of a new one' }];
}

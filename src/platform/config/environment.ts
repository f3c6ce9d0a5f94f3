import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/** Variables by name, before anything is read from them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A setting that cannot be used: its name and what is expected; never the value (contract.md 2). */
export interface SettingFault {
  readonly name: string;
  readonly expected: string;
}

/** The environment of this process on top of the `.env` file of the working directory, or on nothing for null. */
export function processEnvironment(envFile: string | null = '.env'): Environment {
  return { ...(envFile === null ? {} : readEnvFile(envFile)), ...process.env };
}

function readEnvFile(path: string): Environment {
  try {
    return parseEnv(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw error;
  }
}

/**
 * The text of one variable: `NAME`, or the content of the file that `NAME_FILE` names, without its last line break.
 * An empty variable counts as unset. A file that cannot be read, or both at once, is a fault.
 */
export function readVariable(environment: Environment, name: string): string | SettingFault | undefined {
  const value = environment[name] === '' ? undefined : environment[name];
  const file = environment[`${name}_FILE`];
  if (file === undefined || file === '') return value;
  if (value !== undefined) return { name, expected: `set either directly or through ${name}_FILE, not both` };
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch {
    return { name: `${name}_FILE`, expected: 'the path of a file that can be read' };
  }
}

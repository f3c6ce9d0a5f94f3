import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import { isNativeError } from 'node:util/types';

const execute = promisify(execFile);

/** Nothing of the service's environment, secrets least of all, reaches the database server. */
export const CLEAN_ENVIRONMENT = { LC_ALL: 'C', PATH: '/usr/bin:/bin' };

/** A user other than ourselves that a program runs as; only root may name one. */
export interface SystemUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** Whether `error` is a system error with one of these codes, such as `ENOENT`. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return isNativeError(error) && 'code' in error && typeof error.code === 'string' && codes.includes(error.code);
}

/** The part of spawn's options that makes a program run as `systemUser`, or as ourselves. */
export function identityOf(systemUser: SystemUser | undefined): { uid?: number; gid?: number } {
  return systemUser === undefined ? {} : { uid: systemUser.uid, gid: systemUser.gid };
}

/** Runs a program to its end and returns its standard output; throws with what it wrote to standard error. */
export async function run(
  file: string,
  args: readonly string[],
  systemUser?: SystemUser,
  timeoutMs = 60_000,
): Promise<string> {
  const options = { cwd: '/', env: CLEAN_ENVIRONMENT, timeout: timeoutMs, ...identityOf(systemUser) };
  const { stdout } = await execute(file, args, options);
  return stdout;
}

/** Whether a program ends with exit code 0. */
export async function succeeds(file: string, args: readonly string[], systemUser?: SystemUser): Promise<boolean> {
  return run(file, args, systemUser).then(
    () => true,
    () => false,
  );
}

/** When a process started, as a word to compare; undefined when there is no such process or it has already ended. */
export async function startOfProcess(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') return (await askPs(pid, 'lstart='))?.replace(/\W/g, '');
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return state === 'Z' || state === 'X' ? undefined : fields[18];
}

/** The command line of a process with its arguments separated by single blanks; empty when there is no such process. */
export async function commandOfProcess(pid: number): Promise<string> {
  if (process.platform !== 'linux') return (await askPs(pid, 'args=')) ?? '';
  const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return line.replaceAll('\0', ' ');
}

/**
 * The processes that work in `directory` (a real path) and whose parent does not: on Linux alone, where this can be read; elsewhere
 * none.
 */
export async function orphansIn(directory: string): Promise<number[]> {
  if (process.platform !== 'linux') return [];
  const pids = (await readdir('/proc')).map(Number).filter(Number.isInteger);
  const isOrphan = await Promise.all(
    pids.map(async (pid) => (await worksIn(pid, directory)) && !(await worksIn(await parentOf(pid), directory))),
  );
  return pids.filter((_, index) => isOrphan[index]);
}

async function worksIn(pid: number, directory: string): Promise<boolean> {
  return (await readlink(`/proc/${pid}/cwd`).catch(() => '')) === directory;
}

async function parentOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

async function askPs(pid: number, column: string): Promise<string | undefined> {
  const answer = await run('ps', ['-ww', '-o', column, '-p', String(pid)]).catch(() => '');
  return answer.trim() || undefined;
}

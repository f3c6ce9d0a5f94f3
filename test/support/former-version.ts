import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { it } from '@jest/globals';
import { declareMissing } from './redis.js';

const ROOT = join(import.meta.dirname, '..', '..');

const execute = promisify(execFile);

/** What git answers; null where it is not installed, or has no answer. */
function git(...words: string[]): string | null {
  try {
    return execFileSync('git', words, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return null;
  }
}

/** The newest commit that does not know a file yet; null where git, or the history so far back, is missing. */
export function commitBefore(file: string): string | null {
  const added = git('log', '--diff-filter=A', '--format=%H', '--', file)?.split('\n').at(-1) ?? '';
  return added === '' ? null : git('rev-parse', '--verify', '--quiet', `${added}^`);
}

/** A test of the version of a commit; where there is none, it is named as not run and the summary counts it so. */
export function itOf(commit: string | null): (name: string, run: () => Promise<void>, timeoutMs: number) => void {
  if (commit !== null) return it;
  return (name) => {
    declareMissing('git and the history of the project', name);
  };
}

/** Builds the project as it was at a commit, by its own script and with the packages of now, and returns the folder of it all, to be removed. */
export async function checkOut(commit: string): Promise<{ readonly folder: string; readonly build: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'trading-proxy-former-'));
  const [archive, build] = [join(folder, 'tree.tar'), join(folder, 'dist')];
  await execute('git', ['archive', '--format=tar', `--output=${archive}`, commit], { cwd: ROOT });
  await execute('tar', ['-xf', archive, '-C', folder]);
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const script = pathToFileURL(join(folder, 'scripts', 'build.mjs')).href;
  await execute(process.execPath, ['--input-type=module', '-e', `await (await import('${script}')).build('${build}')`]);
  return { folder, build };
}

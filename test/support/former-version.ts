import { execFile, execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { it } from '@jest/globals';
import { declareMissing } from './redis.js';

const ROOT = join(import.meta.dirname, '..', '..');

const INSTALL_LIMIT_MS = 120_000;

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

/** What a `package.json` says that the service needs, by name. */
async function dependenciesIn(folder: string): Promise<Record<string, string>> {
  const { dependencies } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  return dependencies;
}

/** Gives a tree the packages of now, and those that only it needs: Node looks beside the tree's files first, then above them. */
async function usePackages(tree: string): Promise<void> {
  await symlink(join(ROOT, 'node_modules'), join(tree, '..', 'node_modules'));
  const [former, now] = await Promise.all([dependenciesIn(tree), dependenciesIn(ROOT)]);
  const missing = Object.entries(former).filter(([name]) => !(name in now));
  if (missing.length === 0) return;
  const folder = join(tree, '..', 'missing');
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), JSON.stringify({ dependencies: Object.fromEntries(missing) }));
  const words = ['install', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
  await execute('npm', words, { cwd: folder, timeout: INSTALL_LIMIT_MS });
  await rename(join(folder, 'node_modules'), join(tree, 'node_modules'));
}

/** Builds the project as it was at a commit, by its own script; returns the folder of it all, to be removed. */
export async function checkOut(commit: string): Promise<{ readonly folder: string; readonly build: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'trading-proxy-former-'));
  const [archive, tree] = [join(folder, 'tree.tar'), join(folder, 'tree')];
  const build = join(tree, 'dist');
  await mkdir(tree);
  await execute('git', ['archive', '--format=tar', `--output=${archive}`, commit], { cwd: ROOT });
  await execute('tar', ['-xf', archive, '-C', tree]);
  await usePackages(tree);
  const script = pathToFileURL(join(tree, 'scripts', 'build.mjs')).href;
  await execute(process.execPath, ['--input-type=module', '-e', `await (await import('${script}')).build('${build}')`]);
  return { folder, build };
}

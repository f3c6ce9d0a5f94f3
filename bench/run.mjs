import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readOptions } from './lib/options.mjs';

const ROOT = join(import.meta.dirname, '..');

/** `npm run bench`: prepares what is missing, then measures (docs/performance.md). */
const options = readOptions(process.argv.slice(2));
if (!existsSync(join(import.meta.dirname, 'node_modules'))) {
  execFileSync('npm', ['ci'], { cwd: import.meta.dirname, stdio: 'inherit' });
}
if (options.ours === undefined) {
  execFileSync('npm', ['run', 'build', '--silent'], { cwd: ROOT, stdio: 'inherit' });
}
const { runBench } = await import('./lib/bench.mjs');
await runBench({
  ...options,
  ours: resolve(options.ours ?? join(ROOT, 'dist')),
  before: options.before && resolve(options.before),
});

import { existsSync } from 'node:fs';
import { join } from 'node:path';

const TARGET = join(import.meta.dirname, '../dist');

// For commands that also run where only the built service is, as in the container image.
if (!existsSync(join(TARGET, 'scripts'))) {
  const { build } = await import('./build.mjs');
  await build(TARGET);
}

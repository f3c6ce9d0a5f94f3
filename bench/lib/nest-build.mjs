import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { transformFile } from '@swc/core';
import { SWC } from '../../scripts/swc.mjs';

const BENCH = join(import.meta.dirname, '..');

/** Compiles the usual Nest service into `.build/nest`, with the compiler of the project. */
export async function buildNest() {
  const target = join(BENCH, '.build', 'nest');
  await mkdir(target, { recursive: true });
  for (const file of await readdir(join(BENCH, 'nest'))) {
    const { code } = await transformFile(join(BENCH, 'nest', file), { ...SWC, sourceMaps: 'inline' });
    await writeFile(join(target, file.replace(/\.ts$/, '.js')), code);
  }
}

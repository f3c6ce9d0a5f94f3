import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { transformFile } from '@swc/core';

const BENCH = join(import.meta.dirname, '..');
const SWC = {
  swcrc: false,
  sourceMaps: 'inline',
  module: { type: 'es6' },
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    keepClassNames: true,
  },
};

/** Compiles the usual Nest service into `.build/nest`, with the compiler of the project. */
export async function buildNest() {
  const target = join(BENCH, '.build', 'nest');
  await mkdir(target, { recursive: true });
  for (const file of await readdir(join(BENCH, 'nest'))) {
    const { code } = await transformFile(join(BENCH, 'nest', file), SWC);
    await writeFile(join(target, file.replace(/\.ts$/, '.js')), code);
  }
}

import { copyFile, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { transformFile } from '@swc/core';
import { bundle } from './bundle.mjs';
import { buildDashboard, checkDashboard, writeApiTypes } from './dashboard.mjs';
import { filesIn, hashOfFiles } from './hash-of-files.mjs';
import { SWC } from './swc.mjs';

const ROOT = join(import.meta.dirname, '..');
const DIST = join(ROOT, 'dist');
const FOLDERS = ['src', 'migrations', 'sandbox', 'scripts'];
/** In `dist`: what it was built of. */
const BUILT_OF = join(DIST, 'sources.sha256');

/**
 * Compiles the TypeScript of the project into `target`, each file by itself, bundles the service, and builds the dashboard. Types
 * are `npm run types`'.
 */
export async function build(target) {
  await rm(target, { recursive: true, force: true });
  await Promise.all([buildService(target), buildDashboard(target)]);
}

async function buildService(target) {
  for (const folder of FOLDERS) {
    const files = await readdir(join(ROOT, folder), { recursive: true }).catch(() => []);
    await Promise.all(files.map((file) => buildFile(join(folder, file), target)));
  }
  await copyFile(join(ROOT, 'package.json'), join(target, 'package.json'));
  await bundle(target, join(ROOT, 'node_modules'));
}

async function buildFile(file, target) {
  const output = join(target, file);
  if (file.endsWith('.spec.ts')) return;
  if (file.endsWith('.ts')) {
    const script = output.replace(/\.ts$/, '.js');
    const sourceFileName = relative(dirname(script), join(ROOT, file));
    const { code, map } = await transformFile(join(ROOT, file), { ...SWC, sourceMaps: true, sourceFileName });
    await mkdir(dirname(output), { recursive: true });
    await writeFile(script, `${code}\n//# sourceMappingURL=${script.split('/').at(-1)}.map\n`);
    await writeFile(`${script}.map`, map);
  } else if (/\.(txt|json|eta|html|css|svg)$/.test(file)) {
    await mkdir(dirname(output), { recursive: true });
    await copyFile(join(ROOT, file), output);
  }
}

/** Of all that is compiled here. */
async function hashOfSources() {
  const files = await Promise.all(FOLDERS.map((folder) => filesIn(join(ROOT, folder))));
  return hashOfFiles(ROOT, [...files.flat(), join(ROOT, 'package.json'), join(ROOT, 'package-lock.json')]);
}

/** As `build`; where `dist` is of the same sources, as after `npm run check`, it is a copy of that. */
export async function buildOrCopy(target) {
  const known = await readFile(BUILT_OF, 'utf8').catch(() => '');
  if (known !== (await hashOfSources())) return build(target);
  await rm(target, { recursive: true, force: true });
  await cp(DIST, target, { recursive: true });
  return buildDashboard(target);
}

/** The types of the pages are checked here too, while they are bundled: a contract that they do not fit must break the build. */
async function buildAndCheck(target) {
  await rm(target, { recursive: true, force: true });
  const service = buildService(target).then(() => writeApiTypes(target));
  await Promise.all([service.then(checkDashboard), buildDashboard(target)]);
}

if (process.argv[1] === import.meta.filename) {
  const hash = await hashOfSources();
  await buildAndCheck(DIST);
  await writeFile(BUILT_OF, hash);
}

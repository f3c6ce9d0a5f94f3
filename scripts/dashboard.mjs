import { randomUUID } from 'node:crypto';
import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { filesIn, hashOfFiles } from './hash-of-files.mjs';

const ROOT = join(import.meta.dirname, '..');
const SOURCES = join(ROOT, 'dashboard');
const BUILT = join(SOURCES, 'dist');
const API_TYPES = join(SOURCES, 'src', 'api', 'schema.d.ts');
const run = promisify(execFile);

/** Of all that the build reads: what has been built of the same is taken as it is. */
async function hashOfSources() {
  const sources = (await filesIn(SOURCES)).filter((path) => !path.startsWith(BUILT) && path !== API_TYPES);
  return hashOfFiles(ROOT, [...sources, join(ROOT, 'package-lock.json'), import.meta.filename]);
}

async function compress(folder) {
  for (const name of await readdir(folder)) {
    if (!/\.(?:js|css|svg)$/.test(name)) continue;
    const path = join(folder, name);
    const content = await readFile(path);
    const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
    await writeFile(`${path}.br`, await promisify(brotliCompress)(content, quality));
    await writeFile(`${path}.gz`, await promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION }));
  }
}

/** Packages mark what runs in browsers for frameworks that also run on servers: nothing here does. */
function passOn(level, log, handle) {
  if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log);
}

async function bundlePages(outDir) {
  const { build } = await import('vite');
  await build({
    root: SOURCES,
    base: '/dashboard/',
    configFile: false,
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic' } },
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2022',
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rolldownOptions: {
        onLog: passOn,
        // What several pages share is one script: many small ones wait for each other on a slow line.
        output: {
          codeSplitting: {
            groups: [
              { name: 'first', tags: ['$initial'], priority: 3 },
              {
                name: 'shared',
                // But for what the pages before a sign-in need, which is little.
                test: /dashboard[\\/]src[\\/](?!pages|streams|session|components[\\/](?:form|field-errors))/,
                minShareCount: 4,
                priority: 1,
              },
            ],
          },
        },
      },
    },
  });
  await compress(join(outDir, 'assets'));
}

/** Builds the pages into `target`, once for the same sources: hashed names, with what each is compressed to beside it. */
export async function buildDashboard(target) {
  const hash = await hashOfSources();
  const known = await readFile(join(BUILT, 'sources.sha256'), 'utf8').catch(() => '');
  if (known !== hash) {
    const fresh = join(SOURCES, `dist-${randomUUID()}`);
    // In a process of its own: packages decide by NODE_ENV what they are, and in tests it says `test`.
    await run(process.execPath, [import.meta.filename, fresh], { env: { ...process.env, NODE_ENV: 'production' } });
    await writeFile(join(fresh, 'sources.sha256'), hash);
    await rm(BUILT, { recursive: true, force: true });
    // Whoever was first has built of the same.
    await rename(fresh, BUILT).catch(() => rm(fresh, { recursive: true }));
  }
  const folder = join(target, 'dashboard', 'dist');
  await mkdir(folder, { recursive: true });
  await cp(BUILT, folder, { recursive: true });
}

/** Writes the types of the API as the compiled service in `target` describes it: a contract that changes breaks the pages. */
export async function writeApiTypes(target) {
  const document = join(target, 'openapi.json');
  await run(process.execPath, [join(target, 'scripts', 'openapi.js'), document]);
  const { default: openapiTS, astToString } = await import('openapi-typescript');
  const types = await openapiTS(JSON.parse(await readFile(document, 'utf8')));
  await writeFile(API_TYPES, astToString(types));
}

/** Checks the types of the pages; prints what is wrong and throws. */
export async function checkDashboard() {
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  await run(process.execPath, [tsc, '-p', SOURCES]).catch(({ stdout, stderr }) => {
    process.stderr.write(`${stdout}${stderr}`);
    throw new Error('the types of the dashboard do not fit');
  });
}

if (process.argv[1] === import.meta.filename) await bundlePages(process.argv[2]);

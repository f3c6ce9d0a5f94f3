import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, normalize } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SMTPServer } from 'smtp-server';
import { startTestApp, testEnvironment } from './support/app.js';
import { post, signUp } from './support/calls.js';
import { createTestDatabase, type TestDatabase } from './support/database.js';
import { googleSettings, REDIRECT_URI, startGoogle, VERIFIER } from './support/google.js';
import { startInstance } from './support/instance.js';
import { Loopback } from './support/loopback.js';
import { ownDocument } from './support/own-document.js';
import { anEmail } from './support/users.js';

const BOUND = { verifier: VERIFIER, redirectUri: REDIRECT_URI };
const SOURCE = join(process.env.TEST_BUILD ?? '', 'src');

/** The example of a time ahead: one of the two may have been loaded on the day before. */
const MIDNIGHT = /\d{4}-\d\d-\d\dT00:00:00\.000Z/g;

/** Writes down, at the end of a process, which files it has loaded by `require`. */
const REPORT = `import { createRequire } from 'node:module';
import { writeFileSync } from 'node:fs';
process.on('exit', () => writeFileSync('loaded.json', JSON.stringify(Object.keys(createRequire(import.meta.url).cache))));`;

describe('The bundled service', () => {
  let database: TestDatabase;
  let dataDir: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataDir = await mkdtemp(join(tmpdir(), 'trading-proxy-build-'));
  });

  afterAll(async () => {
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('takes no second copy of a package from node_modules: classes and registries would be two', async () => {
    writeFileSync(join(dataDir, 'report.mjs'), REPORT);
    const instance = await startInstance({ database, dataDir }, { NODE_OPTIONS: '--import ./report.mjs' });
    expect((await fetch(`${instance.url}/docs/openapi.json`)).status).toBe(200);
    await instance.close();
    const loaded = JSON.parse(readFileSync(join(dataDir, 'loaded.json'), 'utf8')) as string[];
    const packages = loaded.map((path) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]);
    // `debug` tries the colours of terminals, which are in no image: only tools of developers install them.
    const tried = new Set(['has-flag', 'supports-color']);
    const others = packages.filter((name = '') => !tried.has(name));
    expect([...new Set(others)].sort()).toEqual(['bcrypt', 'node-gyp-build', 'swagger-ui-dist']);
  });

  it('describes itself as it does where each file is loaded by itself: no decorator, type or name is lost', async () => {
    const app = await startTestApp({}, database);
    const instance = await startInstance({ database, dataDir });
    const read = async ({ url }: { url: string }): Promise<unknown> => {
      const answer = await fetch(`${url}/docs/openapi.json`);
      expect(answer.status).toBe(200);
      return JSON.parse((await answer.text()).replaceAll(MIDNIGHT, 'midnight'));
    };
    const [own, bundled] = await Promise.all([read(app), read(instance)]);
    await Promise.all([app.close(), instance.close()]);
    expect(bundled).toEqual(own);
    expect(JSON.parse(JSON.stringify(await ownDocument()).replaceAll(MIDNIGHT, 'midnight'))).toEqual(own);
  });

  it('sends mails by SMTP and signs in with Google: packages that are loaded or asked late', async () => {
    let take: (mail: string) => void = () => undefined;
    const mail = new Promise<string>((resolve) => {
      take = resolve;
    });
    const smtp = new SMTPServer({
      disabledCommands: ['AUTH', 'STARTTLS'],
      onData: (stream, _session, done) => {
        text(stream).then(take, take);
        stream.on('end', done);
      },
    });
    const mailServer = await Loopback.start(smtp.server);
    const google = await startGoogle(REDIRECT_URI);
    const settings = { SMTP_URL: `smtp://127.0.0.1:${mailServer.port}`, ...googleSettings(google) };
    const instance = await startInstance({ database, dataDir }, settings);
    const [email, other] = [anEmail(), anEmail()];
    expect((await signUp(instance, email)).status).toBe(201);
    expect(await mail).toContain(`To: ${email}`);
    const code = await google.code('one', { email: other, email_verified: true, name: 'Ada' }, BOUND);
    const body = { code, code_verifier: VERIFIER, redirect_uri: REDIRECT_URI };
    expect((await post(instance, '/auth/google/callback', body)).status).toBe(200);
    await Promise.all([instance.close(), google.close(), mailServer.close()]);
  });

  it('holds nothing beyond ASCII, for which V8 would take twice the memory', () => {
    const chunks = readdirSync(join(SOURCE, 'chunks')).map((name) => join('chunks', name));
    for (const name of ['main.js', ...chunks.filter((chunk) => chunk.endsWith('.js'))]) {
      expect(readFileSync(join(SOURCE, name)).every((byte) => byte < 0x80)).toBe(true);
    }
  });
});

interface Package {
  readonly dev?: boolean;
}

describe('The container image', () => {
  const run = promisify(execFile);
  const [buildStage = '', finalStage = ''] = readFileSync('Dockerfile', 'utf8')
    .split(/^(?=FROM )/m)
    .slice(1);
  let database: TestDatabase;
  let folder: string;
  let image: string;

  /** Does what the Dockerfile does; only the packages and the dashboard, which take long, are those of this run. */
  beforeAll(async () => {
    database = await createTestDatabase();
    folder = await mkdtemp(join(tmpdir(), 'trading-proxy-image-'));
    image = join(folder, 'image');
    const root = join(folder, 'app');
    const ignored = new Set(readFileSync('.dockerignore', 'utf8').trim().split('\n'));
    for (const [, names = ''] of buildStage.matchAll(/^COPY (.+) \S+$/gm)) {
      for (const name of names.split(' ')) {
        await cp(name, join(root, name), { recursive: true, filter: (path) => !ignored.has(normalize(path)) });
      }
    }
    await cp('dashboard/dist', join(root, 'dashboard/dist'), { recursive: true });
    await symlink(join(process.cwd(), 'node_modules'), join(root, 'node_modules'));
    const build = `import { build } from './scripts/build.mjs'; await build('${join(root, 'dist')}');`;
    await run(process.execPath, ['--input-type=module', '--eval', build], { cwd: root });
    const [, layOut = ''] = /^RUN npm run build && .*node (scripts\/\S+) \/image$/m.exec(buildStage) ?? [];
    await run(process.execPath, [layOut, image], { cwd: root });
    await rm(root, { recursive: true });
  });

  afterAll(async () => {
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  function bundledFiles(): string[] {
    const names = readdirSync(join(image, 'dist'), { recursive: true, encoding: 'utf8' });
    return names.filter((name) => !name.startsWith('dashboard'));
  }

  it('takes nothing but what was laid out and the list of packages', () => {
    const copied = [...finalStage.matchAll(/^COPY --from=build --chown=root:root (.+)$/gm)].map(([, what]) => what);
    expect(copied).toEqual(['/image ./', '/app/sbom.cdx.json ./']);
    expect(finalStage.match(/^(?:COPY|ADD|RUN) /gm)).toHaveLength(copied.length);
  });

  it('S-52 holds the programs of operators and the few packages that they look for, and no file that nothing reaches', () => {
    expect(readdirSync(join(image, 'node_modules')).sort()).toEqual([
      '@redis',
      '@scarf',
      'bcrypt',
      'node-addon-api',
      'node-gyp-build',
      'redis',
      'reflect-metadata',
      'swagger-ui-dist',
    ]);
    const files = bundledFiles().filter((name) => name.endsWith('.js') && basename(join(name, '..')) !== 'chunks');
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
    const named = Object.values(scripts).flatMap((line) => /^node dist\/(.+\.js)$/.exec(line)?.[1] ?? []);
    const forDevelopers = ['sandbox/demo.js', 'sandbox/main.js', 'scripts/selftest-leaks.js'];
    expect(files.sort()).toEqual([...new Set(named)].filter((name) => !forDevelopers.includes(name)).sort());
  });

  it('answers, shows its pages and runs commands with what it holds alone', async () => {
    const dataDir = join(folder, 'data');
    await mkdir(dataDir);
    const instance = await startInstance({ database, dataDir }, {}, join(image, 'dist'));
    const paths = ['/health/live', '/dashboard/', '/docs', '/docs/swagger-ui-bundle.js'];
    const answers = await Promise.all(paths.map(async (path) => fetch(instance.url + path)));
    await instance.close();
    expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
    const asIn = { cwd: image, env: { PATH: process.env.PATH, ...testEnvironment({ port: 3000, dataDir, database }) } };
    await run(process.execPath, ['scripts/build-if-missing.mjs'], asIn);
    expect((await run(process.execPath, ['dist/scripts/users.js', 'list'], asIn)).stdout).toBe('');
    // Loaded only where REDIS_URL is set, and by a program that asks for its names.
    const imports = `const { createClient } = await import('redis'); console.log(typeof createClient);`;
    const script = ['--input-type=module', '--eval', imports];
    expect((await run(process.execPath, script, asIn)).stdout).toBe('function\n');
  });

  it('S-52 is made of nothing that licences, SBOM and audit leave out, and names the authors', () => {
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Package> };
    const sources = bundledFiles()
      .filter((name) => name.endsWith('.map'))
      .flatMap(
        (name) => (JSON.parse(readFileSync(join(image, 'dist', name), 'utf8')) as { sources: string[] }).sources,
      );
    const bundled = sources.map((source) => /.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(source)?.[0] ?? '');
    const paths = new Set(bundled.filter(Boolean).map((path) => path.slice(path.indexOf('node_modules/'))));
    expect(paths.size).toBeGreaterThan(100);
    expect([...paths].filter((path) => packages[path]?.dev)).toEqual([]);
    const texts = readFileSync(join(image, 'LICENCES.txt'), 'utf8');
    expect(texts).toMatch(/^== @nestjs\/core \S+ \(MIT\) ==\n\n\(The MIT License\)\n\nCopyright/m);
    expect(texts).toMatch(/^== react \S+ \(MIT\) ==\n\nMIT License\n\nCopyright/m);
  });

  it('S-52 the pages are made of packages that licences, SBOM and audit look at', () => {
    const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: object };
    const names = readdirSync('dashboard/src', { recursive: true, encoding: 'utf8' });
    const texts = names
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => readFileSync(join('dashboard/src', name), 'utf8'));
    const imported = texts.flatMap((source) =>
      [...source.matchAll(/^(?:import (?!type )[^;]*?|\} )from '((?:@[^/']+\/)?[^./'][^/']*)/gm)].map(
        ([, name = '']) => name,
      ),
    );
    const outside = new Set(imported);
    expect(outside).toContain('react');
    expect([...outside].filter((name) => !(name in dependencies))).toEqual([]);
  });
});

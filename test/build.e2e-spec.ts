import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SMTPServer } from 'smtp-server';
import { startTestApp } from './support/app.js';
import { post, signUp } from './support/calls.js';
import { createTestDatabase, type TestDatabase } from './support/database.js';
import { googleSettings, REDIRECT_URI, startGoogle, VERIFIER } from './support/google.js';
import { startInstance } from './support/instance.js';
import { Loopback } from './support/loopback.js';
import { anEmail } from './support/users.js';

const BOUND = { verifier: VERIFIER, redirectUri: REDIRECT_URI };
const SOURCE = join(process.env.TEST_BUILD ?? '', 'src');

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
    expect([...new Set(packages)].sort()).toEqual(['bcrypt', 'node-gyp-build', 'swagger-ui-dist']);
  });

  it('describes itself as it does where each file is loaded by itself: no decorator, type or name is lost', async () => {
    const app = await startTestApp({}, database);
    const instance = await startInstance({ database, dataDir });
    const read = async ({ url }: { url: string }): Promise<unknown> => (await fetch(`${url}/docs/openapi.json`)).json();
    const [own, bundled] = await Promise.all([read(app), read(instance)]);
    await Promise.all([app.close(), instance.close()]);
    expect(bundled).toEqual(own);
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

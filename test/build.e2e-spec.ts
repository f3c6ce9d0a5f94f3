import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from './support/database.js';
import { startInstance } from './support/instance.js';

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

  it('holds nothing beyond ASCII, for which V8 would take twice the memory', () => {
    const chunks = readdirSync(join(SOURCE, 'chunks')).map((name) => join('chunks', name));
    for (const name of ['main.js', ...chunks.filter((chunk) => chunk.endsWith('.js'))]) {
      expect(readFileSync(join(SOURCE, name)).every((byte) => byte < 0x80)).toBe(true);
    }
  });
});

import { chmod, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from '../scripts/build.mjs';

const ROOT = join(import.meta.dirname, '..');
const PREFIX = 'trading-proxy-test-';

/**
 * Starts one PostgreSQL for the whole run and hands it over as TEST_DATABASE_URL; TEST_BUILD names a compiled copy of the
 * project, for tests that need it in a process of its own.
 */
export default async function setUp() {
  await removeLeftovers();
  const directory = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
  // As root the server runs as another user, who must get in.
  await chmod(directory, 0o755);
  const target = join(directory, 'build');
  await build(target);
  await symlink(join(ROOT, 'node_modules'), join(target, 'node_modules'));
  const platform = join(target, 'src', 'platform');
  const { EmbeddedPostgres } = await import(pathToFileURL(join(platform, 'database', 'embedded-postgres.js')).href);
  const server = await EmbeddedPostgres.start({ directory: join(directory, 'postgres'), fast: true });
  const { host, port, username } = server.connection;
  const parameters = new URLSearchParams({ host, port: String(port), user: username });
  process.env.TEST_DATABASE_URL = `postgresql:///postgres?${parameters}`;
  process.env.TEST_BUILD = target;
  globalThis.testDatabase = { server, directory };
}

/** Of runs that were killed. */
async function removeLeftovers() {
  for (const name of await readdir(tmpdir())) {
    const pid = Number(name.startsWith(PREFIX) ? name.slice(PREFIX.length).split('-')[0] : Number.NaN);
    if (Number.isInteger(pid) && !isRunning(pid)) {
      await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined);
    }
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code !== 'ESRCH';
  }
}

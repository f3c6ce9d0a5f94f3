import { chmod, mkdtemp, readdir, rm, statfs, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { stop as stopEsbuild } from 'esbuild';
import { buildOrCopy } from '../scripts/build.mjs';

const ROOT = join(import.meta.dirname, '..');
const PREFIX = 'trading-proxy-test-';
/** Linux keeps files here in memory; small in containers that set nothing. */
const IN_MEMORY = '/dev/shm';
const TMPFS = 0x01021994;
/** A database takes 9 MB, of which some dozens stand at once, and the log of changes up to 1 GiB. */
const ROOM_BYTES = 3 * 2 ** 30;

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
  await buildOrCopy(target);
  // Its process would keep 800 MB for the whole run.
  await stopEsbuild();
  await symlink(join(ROOT, 'node_modules'), join(target, 'node_modules'));
  const platform = join(target, 'src', 'platform');
  const data = await mkdtemp(join(await placeOfData(), `${PREFIX}${process.pid}-`));
  await chmod(data, 0o755);
  const { EmbeddedPostgres } = await import(
    pathToFileURL(join(platform, 'embedded-postgres', 'embedded-postgres.js')).href
  );
  const server = await EmbeddedPostgres.start({ directory: join(data, 'postgres'), fast: true });
  const { host, port, username } = server.connection;
  const parameters = new URLSearchParams({ host, port: String(port), user: username });
  process.env.TEST_DATABASE_URL = `postgresql:///postgres?${parameters}`;
  process.env.TEST_BUILD = target;
  globalThis.testDatabase = { server, directory, data };
}

/**
 * Memory where there is enough of it: each database of a test is a copy of 300 files, which costs a disk's file system up to
 * ten times the processor time. The long tests store too much for that.
 */
async function placeOfData() {
  if (process.env.TEST_LONG === 'true') return tmpdir();
  const { type, bavail, bsize } = await statfs(IN_MEMORY).catch(() => ({}));
  const hasRoom = type === TMPFS && bavail * bsize >= ROOM_BYTES && process.availableMemory() >= 2 * ROOM_BYTES;
  return hasRoom ? IN_MEMORY : tmpdir();
}

/** Of runs that were killed. */
async function removeLeftovers() {
  for (const place of new Set([tmpdir(), IN_MEMORY])) {
    for (const name of await readdir(place).catch(() => [])) {
      const pid = Number(name.startsWith(PREFIX) ? name.slice(PREFIX.length).split('-')[0] : Number.NaN);
      if (Number.isInteger(pid) && !isRunning(pid)) {
        await rm(join(place, name), { recursive: true, force: true }).catch(() => undefined);
      }
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

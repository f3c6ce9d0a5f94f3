import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { codeOf, get, logIn, signUp } from '../support/calls.js';
import { OwnProcesses } from '../support/own-processes.js';
import { sql } from '../support/rows.js';
import { anApiKey, anEmail, aUser } from '../support/users.js';
import { statusOf, within } from './watched-service.js';

const DISK_BYTES = 160 * 1024 * 1024;
const CHUNK = Buffer.alloc(64 * 1024, 1);
const RECOVERY_MS = 30_000;

/** A small disk of a test's own. Throws where this user or this machine may not mount one. */
function mountDisk(): string {
  const directory = mkdtempSync(join(tmpdir(), 'trading-proxy-disk-'));
  try {
    const options = `size=${String(DISK_BYTES)},mode=0755`;
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', directory], { stdio: 'ignore' });
    return directory;
  } catch (error) {
    rmSync(directory, { recursive: true });
    throw error;
  }
}

function unmount(directory: string): void {
  execFileSync('umount', ['-l', directory], { stdio: 'ignore' });
  rmSync(directory, { recursive: true, force: true });
}

function mayMount(): boolean {
  try {
    unmount(mountDisk());
    return true;
  } catch {
    return false;
  }
}

function declareUnmounted(name: string): void {
  const { todo: declare } = it;
  const missing = `needs the right to mount: ${name}`;
  process.stderr.write(`not run, ${missing}\n`);
  declare(missing);
}

/** A test that needs a small disk; where none can be mounted, it is named as not run and the summary counts it so. */
const itWithDisk: (name: string, run: () => Promise<void>, timeoutMs: number) => void = mayMount()
  ? it
  : declareUnmounted;

/** Takes all the room that is left. */
async function fill(file: string): Promise<void> {
  const handle = await open(file, 'w');
  try {
    for (;;) await handle.write(CHUNK);
  } catch {
    // It is full, which is what was wanted.
  } finally {
    await handle.close();
  }
}

/** Writes accounts until one is refused; returns the refusal, and the addresses that were acknowledged before. */
async function writeUntilRefused(app: { url: string }): Promise<{ refused: Response; acknowledged: string[] }> {
  const acknowledged: string[] = [];
  for (;;) {
    const email = anEmail();
    const answer = await signUp(app, email);
    if (answer.status !== 201) return { refused: answer, acknowledged };
    acknowledged.push(email);
  }
}

/** In a directory of another disk, so that nothing else on this machine is short of room. */
async function surviveAFullDisk(directory: string): Promise<void> {
  const own = await OwnProcesses.open();
  const app = { url: own.url, dataDir: directory };
  const database = {
    url: `postgresql:///postgres?host=${join(directory, 'postgres', 'socket')}&port=5432&user=postgres`,
    drop: () => Promise.resolve(),
  };
  try {
    const service = await own.serve({ DATA_DIR: directory, RATE_LIMIT_ENABLED: 'false', API_KEY_CACHE_TTL: '0' });
    const person = await aUser(app);
    const key = await anApiKey(app, person);
    const other = `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`;
    const ballast = join(directory, 'ballast');
    await fill(ballast);
    const { refused, acknowledged } = await writeUntilRefused(app);
    expect([refused.status, codeOf(refused)]).toEqual([503, 'service_unavailable']);
    expect(await statusOf(app, '/health/live')).toBe(200);
    expect((await logIn(app, person.email, 'not the password at all')).status).not.toBe(200);
    expect((await get(app, '/me', other)).status).not.toBe(200);
    expect(service.output()).toContain('No space left on device');
    await rm(ballast);
    await within(RECOVERY_MS, async () => {
      while ((await signUp(app, anEmail())).status !== 201) await delay(100);
    });
    expect((await get(app, '/me', key)).status).toBe(200);
    expect((await logIn(app, person.email)).status).toBe(200);
    const kept = `SELECT email FROM pending_signups WHERE email = ANY($1)`;
    expect(await sql({ database }, kept, [acknowledged])).toHaveLength(acknowledged.length);
  } finally {
    await own.close();
  }
}

describe('when the disk under the embedded database is full (R-5, R-6)', () => {
  async function onASmallDisk(): Promise<void> {
    const directory = mountDisk();
    try {
      await surviveAFullDisk(directory);
    } finally {
      unmount(directory);
    }
  }

  itWithDisk(
    'R-5 changes are 503, nobody gets in, and all is well when there is room again, with all that was acknowledged',
    onASmallDisk,
    120_000,
  );
});

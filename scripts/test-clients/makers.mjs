import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PYTHON } from './python.mjs';
import { TYPESCRIPT_MAKER } from './typescript.mjs';

const ROOT = join(import.meta.dirname, '../..');
const JEST = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];

/** The market makers of both clients, which are killed, beside a service that is killed too (test/clients). `hasPython`: that one as well. */
export async function testMakers(step, hasPython) {
  const env = { ...process.env, CLIENTS_TYPESCRIPT: TYPESCRIPT_MAKER, ...(hasPython && { CLIENTS_PYTHON: PYTHON }) };
  await step('Market makers, killed again and again', async () => {
    const args = [...JEST, '--config', 'test/clients/jest.config.mjs'];
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      cwd: ROOT,
      env,
      maxBuffer: 1 << 26,
    }).catch((error) => {
      throw new Error(`${error.stdout}${error.stderr}`);
    });
    return stdout.match(/^.* kills, .*$/gm)?.join('; ');
  });
}

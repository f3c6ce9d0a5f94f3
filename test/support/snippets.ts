import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);

/** Runs the lines of a shell; returns what they said. */
export async function runShell(lines: string): Promise<string> {
  return (await run('sh', ['-c', lines])).stdout;
}

/** Runs a program as it is, as a module; returns what it said. */
export async function runProgram(program: string): Promise<string> {
  return (await run(process.execPath, ['--input-type=module', '-e', program])).stdout;
}

/** Checks a program against the types of our client, then runs it; returns what it said. */
export async function runTypescript(program: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'snippet-'));
  const client = join(ROOT, 'sdk/typescript/src/index.ts');
  const [source, script] = [join(folder, 'order.mts'), join(folder, 'order.mjs')];
  const options = {
    ...{ rootDir: '/', noEmit: true, module: 'NodeNext', typeRoots: [join(ROOT, 'node_modules/@types')] },
    paths: { 'trading-proxy-client': [client] },
  };
  const config = { extends: join(ROOT, 'sdk/typescript/tsconfig.json'), compilerOptions: options, include: [source] };
  try {
    await writeFile(source, program);
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
    await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder]);
    const bundle = ['--bundle', '--platform=node', '--format=esm', `--alias:trading-proxy-client=${client}`];
    await run(join(ROOT, 'node_modules/.bin/esbuild'), [source, ...bundle, `--outfile=${script}`]);
    return (await run(process.execPath, [script])).stdout;
  } finally {
    await rm(folder, { recursive: true });
  }
}

const PYTHON = process.env.TEST_PYTHON ?? 'python3';
const WITH_CLIENT = { env: { ...process.env, PYTHONPATH: join(ROOT, 'sdk/python/src') } };

/** Whether this machine has what our Python client needs. */
export async function hasPython(): Promise<boolean> {
  return run(PYTHON, ['-c', 'import trading_proxy_client'], WITH_CLIENT).then(
    () => true,
    () => false,
  );
}

/** Runs a program with our Python client; returns what it said. */
export async function runPython(program: string): Promise<string> {
  return (await run(PYTHON, ['-c', program], WITH_CLIENT)).stdout;
}

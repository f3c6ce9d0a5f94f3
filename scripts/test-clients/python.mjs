import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

/** The Python client: its linters, the cases of sdk/conformance, its wheel in an empty environment, its examples. */
const FOLDER = resolve('sdk/python');
const BIN = join(FOLDER, '.venv/bin');
const run = promisify(execFile);

/** Runs a program in the client's folder; what it said is in the error where it fails. */
async function tool(file, args, options = {}) {
  try {
    return (await run(file, args, { cwd: FOLDER, maxBuffer: 64 * 1024 * 1024, ...options })).stdout;
  } catch ({ stdout = '', stderr = '', message }) {
    throw new Error(`${file.split('/').at(-1)} ${args.join(' ')}: ${stdout}${stderr}` || message);
  }
}

/** Why the Python half cannot run here; undefined where it can. */
export async function pythonLacks() {
  try {
    await run('python3', ['-c', 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))']);
  } catch {
    return 'no python3 of 3.11 or newer that can make a virtual environment';
  }
}

/** The environment of the locked versions, made anew where these have changed. */
async function environment() {
  const wanted = readFileSync(join(FOLDER, 'requirements-dev.txt'));
  const mark = join(FOLDER, '.venv/made-of');
  const hash = createHash('sha256').update(wanted).digest('hex');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === hash) return;
  await tool('python3', ['-m', 'venv', '--clear', '.venv']);
  await tool(join(BIN, 'pip'), [
    'install',
    '-q',
    '--disable-pip-version-check',
    '--no-deps',
    '-r',
    'requirements-dev.txt',
  ]);
  writeFileSync(mark, hash);
}

/** The Python blocks of README.md, each as a module. */
function readmeCode() {
  const text = readFileSync(join(FOLDER, 'README.md'), 'utf8');
  return [...text.matchAll(/```python\n(.*?)```/gs)].map(([, code]) => code);
}

/** The wheel in an environment that holds nothing else: what it brings is typed, and runs. */
async function wheel() {
  const folder = mkdtempSync(join(tmpdir(), 'trading-proxy-wheel-'));
  try {
    await tool(join(BIN, 'python'), ['-m', 'build', '--no-isolation', '-o', folder]);
    const [built] = readdirSync(folder).filter((name) => name.endsWith('.whl'));
    await tool('python3', ['-m', 'venv', join(folder, 'empty')]);
    const python = join(folder, 'empty/bin/python');
    await tool(python, ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', join(folder, built)]);
    readmeCode().forEach((code, number) => writeFileSync(join(folder, `readme_${number}.py`), code));
    await tool(
      python,
      ['-c', 'import trading_proxy_client as client; client.AsyncTradingProxy("http://127.0.0.1:1")'],
      {
        cwd: folder,
      },
    );
    const modules = readdirSync(folder).filter((name) => name.endsWith('.py'));
    const strict = ['--strict', '--cache-dir', join(folder, 'cache'), '--python-executable', python];
    await tool(
      join(BIN, 'mypy'),
      [...strict, ...modules, ...readdirSync(join(FOLDER, 'examples')).map((name) => join(FOLDER, 'examples', name))],
      { cwd: folder },
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** README's code and the examples, run against the demo (demo.mjs), which drops answers and sees a bot killed. */
export async function pythonExamples({ url, key, logIn, controlUrl }) {
  const environment = {
    ...process.env,
    TRADING_PROXY_URL: url,
    TRADING_PROXY_API_KEY: key,
    DEMO_LOG_IN: JSON.stringify(logIn),
    DEMO_CONTROL_URL: controlUrl,
  };
  await tool(join(BIN, 'pytest'), ['-q', '-p', 'no:cacheprovider', 'tests/against_demo.py'], { env: environment });
}

/** The steps that need no service, in their order: a name, and what fails where something is wrong. */
export const pythonSteps = [
  ['Python: environment of the locked versions', environment],
  [
    'Python: ruff',
    async () => (await tool(join(BIN, 'ruff'), ['check']), await tool(join(BIN, 'ruff'), ['format', '--check'])),
  ],
  ['Python: mypy --strict', () => tool(join(BIN, 'mypy'), [])],
  [
    'Python: conformance and tests of both clients',
    () =>
      Promise.all(
        ['Async', 'not Async'].map((which) => tool(join(BIN, 'pytest'), ['-q', '-p', 'no:cacheprovider', '-k', which])),
      ),
  ],
  ['Python: wheel in an empty environment', wheel],
];

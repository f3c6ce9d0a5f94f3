import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startDemo } from './demo.mjs';

/** The Python client: its linters, the cases of sdk/conformance, its wheel in an empty environment, its examples. */
const FOLDER = join(import.meta.dirname, '../../sdk/python');
const BIN = join(FOLDER, '.venv/bin');
/** What the examples run with. */
export const PYTHON = join(BIN, 'python');
const QUIET = ['-q', '--disable-pip-version-check'];
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
async function lacks() {
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
  await tool(join(BIN, 'pip'), ['install', ...QUIET, '--no-deps', '-r', 'requirements-dev.txt']);
  writeFileSync(mark, hash);
}

/** Runs tests; gives the words of the summary. */
async function pytest(args, env = process.env) {
  const said = await tool(join(BIN, 'pytest'), ['-q', '-p', 'no:cacheprovider', ...args], { env });
  return said.trim().split('\n').at(-1);
}

async function ruff() {
  await tool(join(BIN, 'ruff'), ['check']);
  await tool(join(BIN, 'ruff'), ['format', '--check']);
}

/** Two at a time: the clients wait more than they work. */
async function cases() {
  const said = await Promise.all(['Async', 'not Async'].map((which) => pytest(['-k', which])));
  return said.join('; ');
}

/** The Python blocks of README.md, each as a module. */
function readmeCode() {
  const text = readFileSync(join(FOLDER, 'README.md'), 'utf8');
  return [...text.matchAll(/```python\n(.*?)```/gs)].map(([, code]) => code);
}

/** The wheel in an environment that holds nothing else, where README and examples are checked by what it brings. */
async function wheel() {
  const folder = mkdtempSync(join(tmpdir(), 'trading-proxy-wheel-'));
  const python = join(folder, 'empty/bin/python');
  try {
    await tool(join(BIN, 'python'), ['-m', 'build', '--no-isolation', '-o', folder]);
    const built = readdirSync(folder).find((name) => name.endsWith('.whl'));
    await tool('python3', ['-m', 'venv', join(folder, 'empty')]);
    await tool(python, ['-m', 'pip', 'install', ...QUIET, join(folder, built)]);
    await tool(python, ['-c', 'import trading_proxy_client'], { cwd: folder });
    const examples = readdirSync(join(FOLDER, 'examples')).map((name) => join(FOLDER, 'examples', name));
    const blocks = readmeCode().map((code, number) => {
      writeFileSync(join(folder, `readme_${number}.py`), code);
      return `readme_${number}.py`;
    });
    const strict = ['--strict', '--cache-dir', join(folder, 'cache'), '--python-executable', python];
    await tool(join(BIN, 'mypy'), [...strict, ...blocks, ...examples], { cwd: folder });
    return built;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** README's code, the examples, lost answers and the cases of the real service, against a demo whose sandbox loses answers. */
async function againstDemo() {
  const { url, key, logIn, controlUrl, live, stop } = await startDemo({ RATE_LIMIT_API: '100000/1m' });
  const client = { TRADING_PROXY_URL: url, TRADING_PROXY_API_KEY: key };
  const demo = { DEMO_LOG_IN: JSON.stringify(logIn), DEMO_CONTROL_URL: controlUrl };
  try {
    const said = await pytest(['tests/against_demo.py'], { ...process.env, ...client, ...demo });
    return `${said}; cases: ${await pytest(['tests/test_conformance.py'], { ...process.env, ...live })}`;
  } finally {
    await stop();
  }
}

async function testClient(step) {
  await step('Python: ruff', ruff);
  await step('Python: mypy --strict', () => tool(join(BIN, 'mypy'), []));
  await step('Python: cases of both clients, tests', cases);
  await step('Python: wheel in an empty environment, README and examples with strict types', wheel);
  await step('Python: README, examples, lost answers and cases against the service and its sandboxes', againstDemo);
}

/**
 * Runs each step by `step(name, work)`, where `work` gives what is said of it; `beside` runs what else needs the environment, which waits more than it
 * works. Says so where there is no Python. Whether there is.
 */
export async function testPython(step, beside) {
  const reason = await lacks();
  if (reason !== undefined) {
    await step('Python', () => `NOT RUN: ${reason}`);
    return false;
  }
  await step('Python: environment of the locked versions', environment);
  await Promise.all([testClient(step), beside(step)]);
  return true;
}

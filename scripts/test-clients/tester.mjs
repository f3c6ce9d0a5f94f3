import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

/** The property-based tester (schemathesis) reads the document and looks for an answer that it does not describe (contract.md 8). */
const PROGRAM = resolve('sdk/python/.venv/bin/schemathesis');
const DOCUMENT = resolve('dist/openapi.json');
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'unsupported_method',
];
const SEED = 7;
const START_LIMIT_MS = 90_000;
/** Above every limit of the service. */
const ANSWER_LIMIT_S = 60;

/** What each bearer asks for, and for how many seconds. Streams and files have no JSON; what ends the account would end the run. */
const RUNS = [
  { name: 'main key', as: 'key', seconds: 30, without: '(stream|csv|/halt)$|^/account|^/auth|^/bot/' },
  {
    name: 'session',
    as: 'session',
    seconds: 20,
    only: '^/account',
    without: '^/account$|^/account/(password|verification|confirm|sessions)|/(rotate|resume|activate)$',
  },
  { name: 'bot', as: 'bot', seconds: 5, without: '(stream|csv|/halt)$|^/account|^/auth|^/bot/' },
  { name: 'bot of itself', as: 'bot', seconds: 5, only: '^/bot' },
];

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** The demo, on a port and in a folder of its own, with a limit of requests that the tester does not reach. */
async function startDemo() {
  const folder = mkdtempSync(join(tmpdir(), 'trading-proxy-tester-'));
  const url = `http://127.0.0.1:${await freePort()}`;
  const environment = { PORT: new URL(url).port, DATA_DIR: folder, RATE_LIMIT_API: '1000000/1m', DEMO_MOVES: 'false' };
  const child = spawn(process.execPath, ['dist/sandbox/demo.js'], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  const stop = async () => {
    const isOver = child.exitCode !== null || child.signalCode !== null;
    child.kill('SIGTERM');
    if (!isOver) await once(child, 'exit');
    rmSync(folder, { recursive: true, force: true });
  };
  const deadline = Date.now() + START_LIMIT_MS;
  for (;;) {
    const [, key] = /API key\s+(\S+)/.exec(output) ?? [];
    if (key !== undefined) return { url, key, stop, ...JSON.parse(readFileSync(join(folder, 'demo/demo.json'), 'utf8')) };
    if (Date.now() > deadline || child.exitCode !== null) {
      await stop();
      throw new Error(`the demo did not start: ${output}`);
    }
    await delay(100);
  }
}

async function post(url, body, token) {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

async function run({ name, seconds, only, without }, url, bearer) {
  const args = ['run', DOCUMENT, '--url', url, '--checks', CHECKS.join(','), '--phases', 'examples,coverage,fuzzing'];
  args.push('--seed', SEED, '--max-time', seconds, '--request-timeout', ANSWER_LIMIT_S, '--no-shrink');
  args.push('--continue-on-failure', '-H', `Authorization: Bearer ${bearer}`);
  if (only !== undefined) args.push('--include-path-regex', only);
  if (without !== undefined) args.push('--exclude-path-regex', without);
  const options = { cwd: tmpdir(), maxBuffer: 64 * 1024 * 1024 };
  const { stdout } = await promisify(execFile)(PROGRAM, args.map(String), options).catch((error) => {
    throw new Error(`schemathesis with the ${name}: ${error.stdout || error.message}`);
  });
  const [, tested] = /Tested: (\d+)/.exec(stdout) ?? [];
  const [, cases] = /(\d+) generated/.exec(stdout) ?? [];
  if (!(Number(cases) > 0)) throw new Error(`schemathesis with the ${name} made no case: ${stdout}`);
  console.log(`  ${name}: ${cases} cases of ${tested} operations`);
}

async function test() {
  const demo = await startDemo();
  try {
    const { access_token: session } = await post(`${demo.url}/auth/login`, { email: demo.email, password: demo.password });
    const { key: bot } = await post(`${demo.url}/account/bots`, { name: 'tester', scopes: ['read', 'trade'] }, session);
    const bearers = { key: demo.key, session, bot };
    for (const one of RUNS) await run(one, demo.url, bearers[one.as]);
  } finally {
    await demo.stop();
  }
}

export const testerSteps = [['Document: no answer that it does not describe', test]];

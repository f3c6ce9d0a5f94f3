import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startDemo } from './demo.mjs';

/** The property-based tester (schemathesis) reads the document and looks for an answer that it does not describe (contract.md 8). */
const ROOT = join(import.meta.dirname, '../..');
const PROGRAM = join(ROOT, 'sdk/python/.venv/bin/schemathesis');
const DOCUMENT = join(ROOT, 'dist/openapi.json');
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'unsupported_method',
];
const SEED = 7;
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
  return `${name}: ${cases} cases of ${tested} operations`;
}

async function test() {
  const { url, key, logIn, stop } = await startDemo({ RATE_LIMIT_API: '1000000/1m', DEMO_MOVES: 'false' });
  try {
    const { access_token: session } = await post(`${url}/auth/login`, logIn);
    const { key: bot } = await post(`${url}/account/bots`, { name: 'tester', scopes: ['read', 'trade'] }, session);
    const bearers = { key, session, bot };
    const said = [];
    for (const one of RUNS) said.push(await run(one, url, bearers[one.as]));
    return said.join('; ');
  } finally {
    await stop();
  }
}

/** Runs the tester by `step(name, work)`; it needs what the Python half has installed. */
export async function testDocument(step) {
  await step('Document: the service gives no answer that it does not describe', test);
}

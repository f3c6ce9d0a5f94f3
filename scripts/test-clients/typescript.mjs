import { execFile, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startDemo } from './demo.mjs';

/** The TypeScript client: its tarball in an empty folder, typed there, its cases, README and market maker against the demo. */
const ROOT = join(import.meta.dirname, '../..');
const SDK = join(ROOT, 'sdk', 'typescript');
const KILLS = Number(process.env.CLIENT_KILLS ?? 6);
const MARKETS = 'KXHIGHNY-TODAY-T58,KXHIGHNY-TODAY-B55.5';
const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'trading-proxy-typescript-'));
const installed = join(folder, 'empty');

/** Runs a program; what it said is in the error where it fails. */
async function must(file, args, options = {}) {
  try {
    return await run(file, args, { maxBuffer: 1 << 26, ...options });
  } catch ({ stdout = '', stderr = '', message }) {
    throw new Error(`${file} ${args.join(' ')}: ${stdout}${stderr}` || message);
  }
}

async function install() {
  mkdirSync(installed, { recursive: true });
  const { stdout } = await must('npm', ['pack', '--json', '--silent', '--pack-destination', folder], { cwd: SDK });
  const [{ filename, files }] = JSON.parse(stdout.slice(stdout.indexOf('[')));
  writeFileSync(join(installed, 'package.json'), JSON.stringify({ name: 'empty', private: true, type: 'module' }));
  await must('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, filename)], { cwd: installed });
  const packages = readdirSync(join(installed, 'node_modules')).filter((name) => !name.startsWith('.'));
  if (packages.join() !== 'trading-proxy-client') throw new Error(`installed: ${packages.join()}`);
  return `${files.length} files, no dependency`;
}

/** The blocks of a language of a README, in their order. */
function blocksOf(path, language) {
  const blocks = readFileSync(path, 'utf8').matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'));
  return [...blocks].map(([, code]) => code);
}

const COMPILER_OPTIONS = {
  target: 'ES2022',
  module: 'NodeNext',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noImplicitOverride: true,
  noPropertyAccessFromIndexSignature: true,
  verbatimModuleSyntax: true,
  skipLibCheck: false,
  types: ['node'],
  typeRoots: [join(ROOT, 'node_modules/@types')],
  outDir: 'out',
};

/** README's blocks, the examples and a test of types, compiled where the package is installed. */
async function compile() {
  const blocks = blocksOf(join(SDK, 'README.md'), 'ts');
  blocks.forEach((code, index) => writeFileSync(join(installed, `readme-${index}.ts`), code));
  const [first] = blocksOf(join(ROOT, 'README.md'), 'ts');
  writeFileSync(join(installed, 'first-order.ts'), first);
  for (const name of readdirSync(join(SDK, 'examples')))
    copyFileSync(join(SDK, 'examples', name), join(installed, name));
  copyFileSync(join(SDK, 'test', 'types.ts'), join(installed, 'types.ts'));
  writeFileSync(
    join(installed, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include: ['*.ts'] }),
  );
  await must(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc')], { cwd: installed });
  return `${blocks.length} blocks of README, examples`;
}

async function playCases() {
  const { stdout } = await must(process.execPath, [
    '--test',
    '--test-reporter=tap',
    ...['conformance', 'client'].map((name) => join(SDK, 'test', `${name}.test.mjs`)),
  ]);
  return `${/^# pass (\d+)$/m.exec(stdout)?.[1]} passed`;
}

async function runReadme(env) {
  const names = readdirSync(join(installed, 'out')).filter((name) => /^readme-\d+\.js$/.test(name));
  for (const name of names) {
    const { stdout } = await must(process.execPath, [join('out', name)], {
      cwd: installed,
      env,
      timeout: 30_000,
    });
    if (stdout.trim() === '') throw new Error(`${name} said nothing`);
  }
  return `${names.length} ran`;
}

async function call({ TRADING_PROXY_URL: url, TRADING_PROXY_API_KEY: key }, path) {
  const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } });
  return answer.json();
}

/** One of the next orders is made, and its answer lost. */
async function loseAnAnswer(controlUrl) {
  const after = Math.floor(Math.random() * 4);
  const fault = { exchange: 'kalshi', method: 'POST', path: '/portfolio/events/orders', fault: 'reset_after', after };
  const headers = { 'content-type': 'application/json' };
  await fetch(`${controlUrl}/faults`, { method: 'POST', headers, body: JSON.stringify(fault) });
}

/** The market maker, killed again and again while answers are lost: each intent is an order at the exchange, once, or has its refusal. */
async function runMarketMaker(env, controlUrl) {
  const state = join(folder, 'maker.jsonl');
  const args = [
    join('out', 'market-maker.js'),
    '--markets',
    MARKETS,
    '--state',
    state,
    '--ticks',
    '1',
    '--refresh',
    '1',
  ];
  for (let kill = 0; kill <= KILLS; kill++) {
    await loseAnAnswer(controlUrl);
    const child = spawn(process.execPath, args, { cwd: installed, env, stdio: ['ignore', 'ignore', 'pipe'] });
    let errors = '';
    child.stderr.on('data', (part) => (errors += part));
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await wait(kill === KILLS ? 6000 : 700 + Math.random() * 2000);
    if (child.exitCode !== null) throw new Error(`The market maker ended by itself:\n${errors}`);
    child.kill('SIGKILL');
    await ended;
  }
  return judge(env, readJournal(state));
}

function readJournal(path) {
  const intents = new Map();
  for (const text of readFileSync(path, 'utf8').split('\n').slice(0, -1)) {
    if (text === '') continue;
    const line = JSON.parse(text);
    intents.set(line.key, { ...intents.get(line.key), ...line });
  }
  return [...intents.values()];
}

/** The order that the service knows under the key of each intent is that of the state file, and nothing else is open. */
async function judge(env, intents) {
  const fates = await Promise.all(intents.map(({ key }) => call(env, `/kalshi/orders/by-key/${key}`)));
  const refused = intents.filter((intent) => intent.refused !== undefined);
  const pending = intents.filter((intent) => intent.order_id === undefined && intent.refused === undefined);
  const known = new Set(fates.flatMap(({ order }) => (order === null ? [] : [order.id])));
  intents.forEach(({ key, order_id: id }, index) => {
    const { order, state } = fates[index];
    if (id !== undefined && order?.id !== id)
      throw new Error(`${key}: ${id} in the state file, ${order?.id} (${state}) here`);
  });
  const made = intents.filter((intent) => intent.order_id !== undefined);
  if (new Set(made.map((intent) => intent.order_id)).size !== made.length)
    throw new Error('Two intents have one order.');
  // The last kill leaves one of each quote at most; what those before left was taken up by the next start.
  if (pending.length > 2 * MARKETS.split(',').length) throw new Error(`${pending.length} intents were dropped.`);
  const { data } = await call(env, '/kalshi/orders?status=open&limit=100');
  const doubled = data.filter(({ id, post_only: isQuote }) => isQuote && !known.has(id));
  if (doubled.length > 0) throw new Error(`No intent has the orders ${doubled.map(({ id }) => id).join()}`);
  if (made.length < 10) throw new Error(`Only ${made.length} orders were made.`);
  return `${KILLS + 1} kills, ${made.length} orders, ${refused.length} refused, ${pending.length} open at the end`;
}

/** Runs each step by `step(name, work)`, where `work` gives what is said of it. */
export async function testTypescript(step) {
  try {
    await step('TypeScript: tarball in an empty folder', install);
    await step('TypeScript: README, examples and types, with strict settings', compile);
    await step('TypeScript: cases of both clients', playCases);
    const { url, key, controlUrl, stop } = await startDemo();
    const env = { ...process.env, TRADING_PROXY_URL: url, TRADING_PROXY_API_KEY: key };
    try {
      await step('TypeScript: README against the demo', () => runReadme(env));
      await step('TypeScript: market maker against the demo, killed, its answers lost', () =>
        runMarketMaker(env, controlUrl),
      );
    } finally {
      await stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

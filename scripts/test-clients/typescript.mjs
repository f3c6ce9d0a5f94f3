import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startDemo } from './demo.mjs';

/** The TypeScript client: its tarball in an empty folder, typed there, its cases, its README against the demo. */
const ROOT = join(import.meta.dirname, '../..');
const SDK = join(ROOT, 'sdk', 'typescript');
const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'trading-proxy-typescript-'));
const installed = join(folder, 'empty');
/** The market maker as it is compiled there. */
export const TYPESCRIPT_MAKER = join(installed, 'out', 'market-maker.js');

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

/** The cases of the scripted service, or with `live` those of the real one. */
async function playCases(live) {
  const { stdout } = await must(
    process.execPath,
    [
      '--test',
      '--test-reporter=tap',
      ...(live ? ['conformance'] : ['conformance', 'client']).map((name) => join(SDK, 'test', `${name}.test.mjs`)),
    ],
    { env: { ...process.env, ...live } },
  );
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

/** Runs each step by `step(name, work)`, where `work` gives what is said of it. What it installs stays until the process ends. */
export async function testTypescript(step) {
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await step('TypeScript: tarball in an empty folder', install);
  await step('TypeScript: README, examples and types, with strict settings', compile);
  await step('TypeScript: cases of both clients', () => playCases());
  const { url, key, live, stop } = await startDemo({ RATE_LIMIT_API: '100000/1m' });
  try {
    const env = { ...process.env, TRADING_PROXY_URL: url, TRADING_PROXY_API_KEY: key };
    await step('TypeScript: README against the demo', () => runReadme(env));
    await step('TypeScript: cases against the service and its sandboxes', () => playCases(live));
  } finally {
    await stop();
  }
}

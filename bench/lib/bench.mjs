import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ASKS, CASES } from '../cases.mjs';
import { BOT_ORDERS } from '../specials/bot-orders.mjs';
import { FAIRNESS } from '../specials/fairness.mjs';
import { HALF_LOAD } from '../specials/half-load.mjs';
import { MEMORY } from '../specials/memory.mjs';
import { REPLICAS } from '../specials/replicas.mjs';
import { SEARCH } from '../specials/search.mjs';
import { START_AND_REST } from '../specials/start-and-rest.mjs';
import { STREAM_SOAK, STREAMS } from '../specials/streams.mjs';
import { SAMPLES } from '../upstream-answers.mjs';
import { BenchDatabase, createPeerDatabase } from './database.mjs';
import { Generator, measureCase } from './measurement.mjs';
import { buildNest } from './nest-build.mjs';
import { goalsOf } from './goals.mjs';
import { caseText, goalsText, specialText, writeMarkdown } from './report.mjs';
import { firstMessage, LOAD_CORE, start, stop, UPSTREAM_CORE } from './servers.mjs';
import { isPresent, Subject, TITLES } from './subjects.mjs';

const SPECIALS = [HALF_LOAD, START_AND_REST, FAIRNESS, BOT_ORDERS, REPLICAS, STREAMS, MEMORY, STREAM_SOAK, SEARCH];

const BENCH = join(import.meta.dirname, '..');
const say = (text) => process.stdout.write(`${text}\n`);

/** Keeps this process, and the database that it starts, off the server's core. */
function pinSelf() {
  if (process.platform !== 'linux' || cpus().length < 2) return;
  execFileSync('taskset', ['-apc', String(LOAD_CORE), String(process.pid)], { stdio: 'ignore' });
}

/** The user that all subjects know. The RSA key is made anew: none is written into the project. */
function makeUser() {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const private_key = privateKey.export({ type: 'pkcs1', format: 'pem' });
  const wallet_address = SAMPLES.signedOrder.maker;
  const secret = randomBytes(32).toString('base64');
  const api = { api_key: randomUUID(), secret, passphrase: randomBytes(16).toString('hex') };
  return {
    key: `bench_${randomBytes(24).toString('base64url')}`,
    logIn: { email: 'bench@example.com', password: randomBytes(12).toString('base64url') },
    kalshi: { access_key: randomUUID(), private_key },
    polymarket: { credentials: { ...api, wallet_address }, depositWallet: `0x${randomBytes(20).toString('hex')}` },
  };
}

/** All that runs beside the subjects: the database, the exchanges' stand-in, the load generator. */
class World {
  #processes = [];

  async start(options) {
    this.directory = await mkdtemp(join(tmpdir(), 'trading-proxy-bench-'));
    this.node = options.node;
    this.database = await BenchDatabase.start(options.ours, this.directory);
    Object.assign(this, makeUser());
    this.peers = await createPeerDatabase(this.database, this);
    const upstream = this.#fork('upstream.mjs', UPSTREAM_CORE);
    this.upstreamPort = (await firstMessage(upstream)).port;
    this.setLatency = (latencyMs) => firstMessage(upstream, { latencyMs });
    const generator = this.#fork(join('generator', 'generator.mjs'), LOAD_CORE);
    this.generator = new Generator(generator, [upstream.child.pid], await this.database.pid());
  }

  #fork(script, core) {
    const server = start(process.execPath, [join(BENCH, script)], { core, ipc: true });
    this.#processes.push(server);
    return server;
  }

  async stop() {
    for (const server of this.#processes) await stop(server);
    await this.database?.stop();
    await rm(this.directory, { recursive: true, force: true });
  }
}

function isWanted(id, wanted) {
  return wanted === undefined || wanted.some((start) => id === start || id.startsWith(`${start}-`));
}

function startSubject(name, options, world) {
  if (name === 'nginx') return Subject.startNginx(world);
  const dist = { ours: options.ours, before: options.before }[name];
  return dist === undefined ? Subject.startPeer(name, world) : Subject.startOurs(name, dist, world);
}

async function measureAll(cases, subjects, { options, world }) {
  const results = [];
  for (const definition of cases) {
    const taking = definition.subjects.filter((name) => subjects.has(name)).map((name) => subjects.get(name));
    if (taking.length === 0) continue;
    await world.setLatency(definition.upstreamMs);
    const measured = await measureCase(definition, taking, { ...options, generator: world.generator });
    say(caseText(definition, measured));
    const { id, title, connections, upstreamMs } = definition;
    results.push({ id, title, connections, upstreamMs, subjects: measured });
  }
  return results;
}

async function measureSpecials(wanted, subjects, { options, world }) {
  const all = [...subjects.values()];
  const own = all.filter(({ name }) => name === 'ours' || name === 'before');
  const context = { ...ASKS, subjects: all, own, options, world, generator: world.generator };
  const results = [];
  for (const { id, title, run } of wanted) {
    const measured = await run(context);
    if (measured === null) continue;
    say(specialText({ title, ...measured }));
    results.push({ id, title, ...measured });
  }
  return results;
}

function facts({ ours, rounds, measureMs, warmUpMs, node }) {
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
  const [cpu] = cpus();
  const machine = { cpu: cpu?.model ?? 'unknown', cores: cpus().length };
  return { at: new Date().toISOString(), node: version, machine, build: ours, rounds, measureMs, warmUpMs };
}

/** What a first look leaves out, unless it is asked for by name. */
const QUICK = {
  subjects: ['ours', 'before', 'node', 'hpm', 'nest', 'undici'],
  withoutSpecials: new Set([REPLICAS, SEARCH, STREAMS, STREAM_SOAK]),
};

/** What is asked for on the command line, of what there is. */
function choose(options) {
  const isShort = options.quick && options.cases === undefined;
  const cases = CASES.filter(({ id, isQuick }) => isWanted(id, options.cases) && (isQuick || !isShort)).map(
    (definition) => ({ ...definition, connections: options.connections ?? definition.connections }),
  );
  const specials = SPECIALS.filter(
    (special) => isWanted(special.id, options.cases) && !(isShort && QUICK.withoutSpecials.has(special)),
  );
  const taking = new Set([...cases, ...specials].flatMap(({ subjects }) => subjects));
  const asked = options.subjects ?? (options.quick ? QUICK.subjects : Object.keys(TITLES));
  return { cases, specials, names: asked.filter((name) => taking.has(name) && isPresent(name, options)) };
}

async function report(options, { results, specials }) {
  const goals = goalsOf(results, specials);
  if (goals.length > 0) say(goalsText(goals));
  const all = { ...facts(options), results, specials, goals };
  if (options.json !== undefined) await writeFile(options.json, `${JSON.stringify(all, null, 2)}\n`);
  if (options.markdown !== undefined) await writeMarkdown(options.markdown, all);
}

/** Runs the whole benchmark and prints it. */
export async function runBench(options) {
  pinSelf();
  await buildNest();
  const { cases, specials, names } = choose(options);
  const world = new World();
  const subjects = new Map();
  try {
    await world.start(options);
    for (const name of names) subjects.set(name, await startSubject(name, options, world));
    const results = await measureAll(cases, subjects, { options, world });
    await report(options, { results, specials: await measureSpecials(specials, subjects, { options, world }) });
  } finally {
    for (const subject of subjects.values()) await subject.stop();
    await world.stop();
  }
}

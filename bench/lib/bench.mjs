import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { CASES } from '../cases.mjs';
import { BenchDatabase, createPeerDatabase } from './database.mjs';
import { Generator, measureCase } from './measurement.mjs';
import { buildNest } from './nest-build.mjs';
import { caseText } from './report.mjs';
import { firstMessage, LOAD_CORE, start, stop, UPSTREAM_CORE } from './servers.mjs';
import { isPresent, Subject, TITLES } from './subjects.mjs';

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
  return {
    key: `bench_${randomBytes(24).toString('base64url')}`,
    logIn: { email: 'bench@example.com', password: randomBytes(12).toString('base64url') },
    kalshi: { access_key: '2b8394e0-515e-4b89-b624-f34067756855', private_key },
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
    this.generator = new Generator(this.#fork(join('generator', 'generator.mjs'), LOAD_CORE));
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

async function startSubjects(names, options, world) {
  const subjects = new Map();
  for (const name of names) {
    subjects.set(name, await startSubject(name, options, world));
  }
  return subjects;
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

function facts({ ours, rounds, measureMs, warmUpMs, node }) {
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
  const [cpu] = cpus();
  const machine = { cpu: cpu?.model ?? 'unknown', cores: cpus().length };
  return { at: new Date().toISOString(), node: version, machine, build: ours, rounds, measureMs, warmUpMs };
}

/** Runs the whole benchmark and prints it. */
export async function runBench(options) {
  pinSelf();
  await buildNest();
  const cases = CASES.filter(({ id }) => isWanted(id, options.cases)).map((definition) => ({
    ...definition,
    connections: options.connections ?? definition.connections,
  }));
  const taking = new Set(cases.flatMap((definition) => definition.subjects));
  const asked = Object.keys(TITLES).filter((name) => taking.has(name) && (options.subjects?.includes(name) ?? true));
  const world = new World();
  let subjects = new Map();
  try {
    await world.start(options);
    subjects = await startSubjects(
      asked.filter((name) => isPresent(name, options)),
      options,
      world,
    );
    const results = await measureAll(cases, subjects, { options, world });
    if (options.json !== undefined)
      await writeFile(options.json, JSON.stringify({ ...facts(options), results }, null, 2));
  } finally {
    for (const subject of subjects.values()) await subject.stop();
    await world.stop();
  }
}

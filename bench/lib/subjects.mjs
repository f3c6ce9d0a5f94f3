import { execFileSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startNginx } from '../subjects/nginx.mjs';
import { Ours } from '../subjects/ours.mjs';
import { firstMessage, freePort, SERVER_CORE, start, stop } from './servers.mjs';

const BENCH = join(import.meta.dirname, '..');

/** What the table calls each. */
export const TITLES = {
  ours: 'this service',
  before: 'this service before',
  node: 'bare node:http',
  hpm: 'express + hpm',
  nest: 'usual Nest',
  auth: 'better-auth',
  undici: 'undici + RSA',
  nginx: 'nginx',
};

const SCRIPTS = {
  node: ['subjects/node-http.mjs'],
  hpm: ['subjects/express-hpm.mjs'],
  nest: ['--enable-source-maps', '.build/nest/main.js'],
};

/** Whether this machine can run a subject; the others are measured without it. */
export function isPresent(name, options) {
  if (name === 'before') return options.before !== undefined;
  if (name === 'nginx') return hasProgram('nginx');
  return name === 'ours' || SCRIPTS[name] !== undefined;
}

export function hasProgram(name) {
  try {
    execFileSync(name, ['-v'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** A server under test: its name, port, process id, and what its cases need (tokens). */
export class Subject {
  constructor(name, { port, server, facts }) {
    this.name = name;
    this.port = port;
    this.server = server;
    this.facts = facts;
  }

  get pid() {
    return this.server.child.pid;
  }

  /** Starts one of the peers in a process of its own. */
  static async startPeer(name, world) {
    const port = await freePort();
    const env = {
      NODE_ENV: 'production',
      PORT: String(port),
      UPSTREAM_PORT: String(world.upstreamPort),
      BENCH_DATABASE_URL: world.peers.url,
      BENCH_SEALING_KEY: world.peers.sealingKey,
    };
    const args = SCRIPTS[name];
    const server = start(world.node, args, { core: SERVER_CORE, env, ipc: true, cwd: BENCH });
    const { facts = {} } = await firstMessage(server);
    return new Subject(name, { port, server, facts: { key: world.key, ...facts } });
  }

  /** nginx as the limit: it checks no key and looks into nothing. */
  static async startNginx(world) {
    const port = await freePort();
    const { directory, upstreamPort } = world;
    const place = { directory, port, ports: [upstreamPort], path: '/trade-api/v2/exchange/status' };
    const server = await startNginx({ ...place, core: SERVER_CORE });
    return new Subject('nginx', { port, server, facts: { key: world.key } });
  }

  /** Starts a build of this project with one user who has a key and credentials. */
  static async startOurs(name, dist, world) {
    const dataDir = join(world.directory, name);
    await mkdir(dataDir, { recursive: true });
    const databaseUrl = await world.database.create(`bench_${name}`);
    const { node, upstreamPort } = world;
    const ours = new Ours({ dist, node, port: await freePort(), upstreamPort, databaseUrl, dataDir });
    const server = await ours.start(SERVER_CORE);
    const token = await ours.signUp(world.logIn);
    const { answer } = await ours.call('POST', '/account/api-keys', { token, body: { scopes: ['trade'] } });
    await ours.call('PUT', '/account/credentials/kalshi', { token, body: world.kalshi });
    return new Subject(name, { port: ours.port, server, facts: { key: answer.key, token, ours } });
  }

  async stop() {
    await stop(this.server);
  }
}

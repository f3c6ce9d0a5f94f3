import { execFileSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startNginx } from '../subjects/nginx.mjs';
import { Ours } from '../subjects/ours.mjs';
import { firstMessage, freePort, SERVER_CORE, start, stop } from './servers.mjs';

const BENCH = join(import.meta.dirname, '..');

const SESSION_KEY_MS = 30 * 86_400_000;

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
  nest: ['.build/nest/main.js'],
  auth: ['subjects/better-auth.mjs'],
  undici: ['subjects/undici-rsa.mjs'],
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
    const database = name === 'auth' ? await world.database.create('bench_auth') : world.peers.url;
    const env = {
      NODE_ENV: 'production',
      PORT: String(port),
      UPSTREAM_PORT: String(world.upstreamPort),
      BENCH_DATABASE_URL: database,
      BENCH_SEALING_KEY: world.peers.sealingKey,
      BENCH_LOG_IN: JSON.stringify(world.logIn),
      BENCH_KALSHI: JSON.stringify(world.kalshi),
    };
    const args = SCRIPTS[name];
    const server = start(world.node, args, { core: SERVER_CORE, env, ipc: true, cwd: BENCH });
    const { facts = {} } = await firstMessage(server);
    if (name === 'nest') facts.token = await nestToken(port, world.logIn);
    return new Subject(name, { port, server, facts: { key: world.key, logIn: world.logIn, ...facts } });
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
    const subject = new Subject(name, { port: ours.port, server, facts: { ours, startMs: server.readyMs } });
    Object.assign(subject.facts, await openAccount(ours, world));
    return subject;
  }

  async stop() {
    await stop(this.server);
  }
}

async function nestToken(port, logIn) {
  const headers = { 'content-type': 'application/json' };
  const options = { method: 'POST', headers, body: JSON.stringify(logIn) };
  const response = await fetch(`http://127.0.0.1:${port}/auth/login`, options);
  return (await response.json()).access_token;
}

/** A user with a key and credentials of Kalshi, and of Polymarket for orders that come signed or are signed here. */
async function openAccount(ours, { logIn, kalshi, polymarket }) {
  const token = await ours.signUp(logIn);
  const key = await ours.createKey(token);
  await ours.call('PUT', '/account/credentials/kalshi', { token, body: kalshi });
  await ours.call('PUT', '/account/credentials/polymarket', { token, body: polymarket.credentials });
  const session = await ours.signUp({ ...logIn, email: `session-${logIn.email}` });
  const sessionKey = await ours.createKey(session);
  const path = '/account/credentials/polymarket/session-key';
  await ours.call('POST', path, { token: session, body: { wallet_address: polymarket.depositWallet } });
  const valid_until = new Date(Date.now() + SESSION_KEY_MS).toISOString();
  await ours.call('POST', `${path}/activate`, { token: session, body: { valid_until } });
  return { token, key, sessionKey, logIn };
}

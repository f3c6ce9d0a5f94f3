import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 10_000;
const POLL_MS = 2;

const CORES = availableParallelism();
/** The server has a core of its own; the load generator and the stand-in share the next, or have one each. */
export const SERVER_CORE = 0;
export const LOAD_CORE = 1;
export const UPSTREAM_CORE = CORES > 2 ? 2 : 1;
const CAN_PIN = process.platform === 'linux' && CORES > 1;

/** A port of loopback that was free a moment ago. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

const running = new Set();
/** However this process ends, what it started does not stay behind. */
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

/** Starts a program on one core, or on all where `core` is null or the machine has one. It ends with this process. */
export function start(command, args, { core = null, env = {}, ipc = false, cwd } = {}) {
  // This process is pinned itself, and what it starts would be where it is.
  const cores = core === null ? `0-${CORES - 1}` : String(core);
  const pinned = CAN_PIN ? ['taskset', ['-c', cores, command, ...args]] : [command, args];
  const stdio = ['ignore', 'pipe', 'pipe', ...(ipc ? ['ipc'] : [])];
  const child = spawn(...pinned, { stdio, cwd, env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env } });
  running.add(child);
  child.on('exit', () => running.delete(child));
  let said = '';
  const keep = (chunk) => (said = (said + chunk).slice(-4_000));
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  child.on('error', keep);
  return { child, said: () => said };
}

/** The first message of a child that talks over IPC; throws with what it said where it ends first. */
export async function firstMessage({ child, said }, message) {
  if (message !== undefined) child.send(message);
  const ended = new AbortController();
  try {
    const exit = once(child, 'exit', ended).then(() => {
      throw new Error(`a process of the benchmark ended: ${said()}`);
    });
    const [answer] = await Promise.race([once(child, 'message', ended), exit]);
    return answer;
  } finally {
    ended.abort();
  }
}

/** Waits until a URL answers 200; returns the ms since `since`. Throws with what the process said where it ends first. */
export async function untilReady(url, { child, said }, since = performance.now()) {
  while (performance.now() - since < START_LIMIT_MS) {
    if (child.exitCode !== null) throw new Error(`a server of the benchmark ended: ${said()}`);
    const status = await fetch(url, { signal: AbortSignal.timeout(5_000) }).then(
      async (response) => (await response.arrayBuffer(), response.status),
      () => 0,
    );
    if (status === 200) return performance.now() - since;
    await delay(POLL_MS);
  }
  throw new Error(`a server of the benchmark did not get ready: ${said()}`);
}

/** Ends a process that `start` started; with force where it does not go. */
export async function stop({ child }) {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
  await exited;
  clearTimeout(timer);
}

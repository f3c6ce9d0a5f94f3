import { join } from 'node:path';
import { digits } from '../lib/format.mjs';
import { firstMessage, freePort, LOAD_CORE, SERVER_CORE, start, stop, UPSTREAM_CORE } from '../lib/servers.mjs';
import { mean, median } from '../lib/statistics.mjs';
import { SAMPLES } from '../upstream-answers.mjs';

const BENCH = join(import.meta.dirname, '..');
const [TOKEN] = SAMPLES.polymarketTokens;
const MANY = '100000';
/** How long a server has before its readers are counted. */
const WARM_UP_MS = 3_000;
const REST_MS = 2_000;
/** Rounds of a plain case are this much shorter. */
const LONGER = 5;

/** A busy book with the readers that a desk has, and so many readers that only the writing counts. */
const LOADS = {
  busy: { readers: 100, changesPerSecond: 100 },
  crowd: { readers: 1_000, changesPerSecond: 10 },
};
const SOAK = { readers: 200, stopped: 1, changesPerSecond: 20 };
const CUT_EVERY_MS = 20_000;
/** How much more the last quarter of the run may take than the second. */
const FLAT = 1.05;

/** The exchange's stand-in and the readers, beside whatever server is measured. */
class Streams {
  #exchange;
  #readers;

  static async start(world) {
    const streams = new Streams();
    const fork = (script, core) => start(world.node, [join(BENCH, script)], { core, ipc: true });
    streams.#exchange = fork('upstream-books.mjs', UPSTREAM_CORE);
    streams.port = (await firstMessage(streams.#exchange)).port;
    streams.#readers = fork(join('generator', 'stream-readers.mjs'), LOAD_CORE);
    return streams;
  }

  get url() {
    return `ws://127.0.0.1:${this.port}/ws/market`;
  }

  /** One round of readers against one server. */
  async run(server, { changesPerSecond, cutEveryMs = 0, ...plan }) {
    await firstMessage(this.#exchange, { changesPerSecond, cutEveryMs });
    const exchange = { url: this.url, token: TOKEN };
    const { result, error } = await firstMessage(this.#readers, { exchange, restMs: REST_MS, ...server, ...plan });
    await firstMessage(this.#exchange, {});
    if (error !== undefined) throw new Error(`the readers failed: ${error}`);
    return result;
  }

  async stop() {
    await stop(this.#readers);
    await stop(this.#exchange);
  }
}

/** This service with every change as a message of its own, and as many streams as the readers are. */
async function startOurs({ facts }, streams) {
  const replica = facts.ours.replica(await freePort(), {
    POLYMARKET_CLOB_URL: `http://127.0.0.1:${streams.port}/clob`,
    POLYMARKET_WS_URL: `ws://127.0.0.1:${streams.port}/ws`,
    STREAM_FLUSH: '0',
    STREAMS_PER_KEY: MANY,
    STREAMS_PER_USER: MANY,
    STREAMS_MAX: MANY,
  });
  const server = await replica.start(SERVER_CORE);
  const path = `/polymarket/orderbooks/stream?market_id=${SAMPLES.polymarketMarket}&outcome=0`;
  const headers = { Authorization: `Bearer ${facts.key}` };
  return { server, plan: { port: replica.port, pid: server.child.pid, path, headers } };
}

async function startPeer(kind, streams, { node }, bytes) {
  const port = await freePort();
  const env = { PORT: String(port), BENCH_STREAM: kind, BENCH_WS_URL: streams.url, BENCH_TOKEN: TOKEN, BENCH_LENGTH: String(bytes) }; // prettier-ignore
  const args = [join(BENCH, 'subjects', 'stream-peer.mjs')];
  const server = start(node, args, { core: SERVER_CORE, env, ipc: true, cwd: BENCH });
  await firstMessage(server);
  return { server, plan: { port, pid: server.child.pid, path: '/', headers: {} } };
}

/** Each server by itself, one after the other: they share the server's core. */
async function measureOne(begin, streams, options) {
  const { server, plan } = await begin();
  try {
    const rounds = { busy: [], crowd: [] };
    for (const [load, what] of Object.entries(LOADS))
      for (let round = 0; round < options.rounds; round += 1) {
        const measureMs = options.measureMs * LONGER;
        rounds[load].push(await streams.run(plan, { ...what, warmUpMs: WARM_UP_MS, measureMs }));
      }
    const of = (load, pick) => median(rounds[load].map(pick));
    const added = (share) => of('busy', (round) => round.added[share]);
    const cpuUs = (load) => of(load, (round) => round.cpuUs);
    const complete = (load) => of(load, ({ told, changes }) => told / (changes * LOADS[load].readers));
    return {
      ...{ addedP50: added('p50'), addedP99: added('p99'), busyCpuUs: cpuUs('busy'), crowdCpuUs: cpuUs('crowd') },
      ...{ busyTold: complete('busy'), crowdTold: complete('crowd'), load: of('busy', ({ load }) => load) },
      // The first crowd comes to a server at rest.
      grownMb: Math.max(...rounds.crowd[0].samples) - rounds.crowd[0].restMb,
      rounds,
    };
  } finally {
    await stop(server);
  }
}

const BYTES_OF_A_CHANGE = 400;

export const STREAMS = {
  id: 'streams',
  subjects: ['ours'],
  title: 'streams of one book: 100 readers of 100 changes a second, 1,000 readers of 10',
  async run({ own, options, world }) {
    const subject = own.find(({ name }) => name === 'ours');
    if (subject === undefined) return null;
    const streams = await Streams.start(world);
    const begin = {
      ours: () => startOurs(subject, streams),
      peer: () => startPeer('peer', streams, world, BYTES_OF_A_CHANGE),
      bare: () => startPeer('bare', streams, world, BYTES_OF_A_CHANGE),
    };
    const found = {};
    try {
      for (const [name, start] of Object.entries(begin)) found[name] = await measureOne(start, streams, options);
    } finally {
      await streams.stop();
    }
    return { found, lines: linesOf(found) };
  },
};

const WORDS = { ours: 'ours', peer: 'with ws, as a team would', bare: 'bare node:http, the same bytes' };

function linesOf(found) {
  return Object.entries(found).map(([name, each]) => [
    'ours',
    WORDS[name],
    `100 readers: + ${digits(each.addedP50, 2)} ms p50, + ${digits(each.addedP99, 2)} ms p99, ${digits(each.busyCpuUs, 1)} µs of CPU a message and reader; ` +
      `1,000 readers: ${digits(each.crowdCpuUs, 1)} µs, + ${digits(each.grownMb, 0)} MB; ${digits(Math.min(each.busyTold, each.crowdTold) * 100, 1)} % told`,
  ]);
}

export const STREAM_SOAK = {
  id: 'soak',
  subjects: ['ours'],
  title: `memory with ${SOAK.readers} streams, one of them not read, of an exchange that cuts every ${CUT_EVERY_MS / 1_000} s`,
  async run({ own, options, world }) {
    const subject = own.find(({ name }) => name === 'ours');
    if (subject === undefined) return null;
    const streams = await Streams.start(world);
    const { server, plan } = await startOurs(subject, streams);
    try {
      const measureMs = options.memorySeconds * 1_000;
      const run = await streams.run(plan, { ...SOAK, cutEveryMs: CUT_EVERY_MS, warmUpMs: WARM_UP_MS, measureMs });
      const quarter = Math.floor(run.samples.length / 4);
      const [earlyMb, lateMb] = [mean(run.samples.slice(quarter, 2 * quarter)), mean(run.samples.slice(-quarter))];
      const found = { ...run, seconds: options.memorySeconds, earlyMb, lateMb, flat: lateMb <= earlyMb * FLAT };
      const value =
        `${digits(earlyMb, 0)} MB in the second quarter, ${digits(lateMb, 0)} MB in the last; ${run.changes} changes, ` +
        `${run.told} told, ${run.opened} streams opened`;
      return { found, lines: [['ours', `resident memory in ${options.memorySeconds} s`, value]] };
    } finally {
      await stop(server);
      await streams.stop();
    }
  },
};

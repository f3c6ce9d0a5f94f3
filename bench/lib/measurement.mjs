import { processTree, residentMb } from './process-facts.mjs';
import { firstMessage } from './servers.mjs';
import { addCounts, median } from './statistics.mjs';

/** Each round begins with so much that is not counted, and 1 ms for each connection: they are opened, caches filled. */
const ROUND_WARM_UP_MS = 250;
/** After 9,000 requests in 3 s what they run through is compiled: after 3,000 it cost up to twice as much as later. */
export const WARM_UP_REQUESTS_PER_MS = 3;
/** Fewer answers in a round say little of what each costs, and nothing of a p99. */
const LEAST_ANSWERS = 1_000;

/** Where answers are few or clients many, rounds are longer and fewer. */
const LONGER = 3;
const MOST_LONG_ROUNDS = 3;

/** Runs plans in the load generator's process. */
export class Generator {
  #server;
  #loadPids;
  #databasePid;

  /** `loadPids` are the processes that share its cores. */
  constructor(server, loadPids, databasePid) {
    this.#server = server;
    this.#loadPids = loadPids;
    this.#databasePid = databasePid;
  }

  async run(plan) {
    const shared = { loadPids: this.#loadPids, databasePids: processTree(this.#databasePid) };
    const { result, error } = await firstMessage(this.#server, { ...plan, ...shared });
    if (error !== undefined) throw new Error(`the load generator failed: ${error}`);
    return result;
  }
}

/**
 * What one round of one subject came to: rate per second, CPU µs a request, those of PostgreSQL, CPU seconds that the load took a second, the share that
 * was stolen, times in ms, bad answers by kind.
 */
export function toRound({ seconds, cpuSeconds, databaseSeconds, load, stolen, groups: [counted] }) {
  const { count, p50, p99, p999, max, bad } = counted;
  const cpu = cpuSeconds.reduce((sum, each) => sum + each, 0);
  const cpuUs = count === 0 ? null : (cpu / count) * 1e6;
  const databaseUs = count === 0 ? null : (databaseSeconds / count) * 1e6;
  return { count, rate: count / seconds, cpuUs, databaseUs, load, stolen, p50, p99, p999, max, bad };
}

/** The median of each number over the rounds; bad answers are added up, those of the warm-up too. */
function summarise(rounds, warmUp) {
  const summary = {};
  for (const name of ['rate', 'cpuUs', 'databaseUs', 'load', 'stolen', 'p50', 'p99', 'p999', 'max'])
    summary[name] = median(rounds.map((round) => round[name]));
  summary.requests = rounds.reduce((sum, { count }) => sum + count, 0);
  summary.bad = addCounts([warmUp, ...rounds].map(({ bad }) => bad));
  return summary;
}

/** One run of one group of connections against one process. */
export async function measureRun(generator, { group, pid, warmUpMs, measureMs }) {
  return toRound(await generator.run({ groups: [group], pids: processTree(pid), warmUpMs, measureMs }));
}

/** Looks at a process's resident memory until it is stopped. */
export class RssWatch {
  #samples = [];
  #timer;

  constructor(pid) {
    this.#timer = setInterval(() => this.#samples.push(residentMb(pid)), 250);
  }

  /** Returns what was seen, in MB. */
  stop() {
    clearInterval(this.#timer);
    return { samples: this.#samples, max: Math.max(...this.#samples) };
  }
}

/** Runs the requests of one case against one subject; keeps what its connections keep from one run to the next. */
class Shooter {
  #definition;
  #subject;
  #generator;
  #states;

  constructor(definition, subject, generator) {
    this.#definition = definition;
    this.#subject = subject;
    this.#generator = generator;
  }

  get name() {
    return this.#subject.name;
  }

  async prepare() {
    this.#states = await this.#definition.prepare?.(this.#subject, this.#definition.connections);
  }

  async run(times) {
    const { ask, connections } = this.#definition;
    const { port, pid } = this.#subject;
    const states = this.#states && { states: this.#states };
    const group = { ...ask(this.#subject), port, connections, ...states };
    const result = await this.#generator.run({
      groups: [group],
      pids: processTree(pid),
      ...times,
    });
    this.#states = this.#states && result.groups[0].states;
    return toRound(result);
  }
}

/** Measures one case: warms every subject up, then takes the rounds in turn (A B C A B C). */
export async function measureCase(definition, subjects, { generator, rounds, measureMs, warmUpMs }) {
  const { connections, isLong = false, isCostly = false } = definition;
  const taken = subjects.map((subject) => ({ shooter: new Shooter(definition, subject, generator), all: [] }));
  const warmUpRequests = isCostly ? 0 : warmUpMs * WARM_UP_REQUESTS_PER_MS;
  for (const entry of taken) {
    await entry.shooter.prepare();
    entry.warmUp = await entry.shooter.run({ warmUpMs, warmUpRequests, measureMs: 0 });
  }
  const times = {
    warmUpMs: ROUND_WARM_UP_MS + connections,
    measureMs: measureMs * (isLong ? LONGER : 1),
    measureRequests: isCostly ? 0 : LEAST_ANSWERS,
  };
  const turns = isLong ? Math.min(rounds, MOST_LONG_ROUNDS) : rounds;
  for (let turn = 0; turn < turns; turn += 1) {
    for (const { shooter, all } of taken) all.push(await shooter.run(times));
  }
  const summaries = taken.map(({ shooter, all, warmUp }) => [shooter.name, { ...summarise(all, warmUp), rounds: all }]);
  return Object.fromEntries(summaries);
}

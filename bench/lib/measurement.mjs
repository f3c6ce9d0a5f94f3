import { processTree } from './process-facts.mjs';
import { firstMessage } from './servers.mjs';

/** Each round begins with so much that is not counted: connections are opened, caches filled. */
const ROUND_WARM_UP_MS = 250;

/** Runs plans in the load generator's process. */
export class Generator {
  #server;

  constructor(server) {
    this.#server = server;
  }

  async run(plan) {
    const { result, error } = await firstMessage(this.#server, plan);
    if (error !== undefined) throw new Error(`the load generator failed: ${error}`);
    return result;
  }
}

export function median(values) {
  const sorted = values.filter((value) => value !== null).sort((a, b) => a - b);
  if (sorted.length === 0) return null;
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** What one round of one subject came to: rate per second, CPU µs a request, times in ms, bad answers by kind. */
export function toRound({ seconds, cpuSeconds, groups: [counted] }) {
  const { count, p50, p99, p999, max, bad } = counted;
  const cpu = cpuSeconds.reduce((sum, each) => sum + each, 0);
  return { count, rate: count / seconds, cpuUs: count === 0 ? null : (cpu / count) * 1e6, p50, p99, p999, max, bad };
}

/** The median of each number over the rounds; bad answers are added up. */
export function summarise(rounds) {
  const summary = {};
  for (const name of ['rate', 'cpuUs', 'p50', 'p99', 'p999', 'max'])
    summary[name] = median(rounds.map((round) => round[name]));
  summary.requests = rounds.reduce((sum, { count }) => sum + count, 0);
  summary.bad = {};
  for (const { bad } of rounds) {
    for (const [kind, count] of Object.entries(bad)) summary.bad[kind] = (summary.bad[kind] ?? 0) + count;
  }
  return summary;
}

/** Measures one case: warms every subject up, then takes the rounds in turn (A B C A B C). */
export async function measureCase(definition, subjects, { generator, rounds, measureMs, warmUpMs }) {
  const taken = new Map(subjects.map(({ name }) => [name, []]));
  const run = (subject, times) => {
    const { connections, rate } = definition;
    const request = { ...definition.ask(subject), port: subject.port, connections };
    const pids = processTree(subject.pid);
    return generator.run({ groups: [rate === undefined ? request : { ...request, rate }], pids, ...times });
  };
  for (const subject of subjects) await run(subject, { warmUpMs, measureMs: 0 });
  for (let round = 0; round < rounds; round += 1) {
    for (const subject of subjects) {
      taken.get(subject.name).push(toRound(await run(subject, { warmUpMs: ROUND_WARM_UP_MS, measureMs })));
    }
  }
  return Object.fromEntries([...taken].map(([name, all]) => [name, { ...summarise(all), rounds: all }]));
}

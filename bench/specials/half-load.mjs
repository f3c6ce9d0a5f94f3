import { digits } from '../lib/format.mjs';
import { measureRun } from '../lib/measurement.mjs';
import { median } from '../lib/statistics.mjs';

const UPSTREAM_MS = 20;
const SATURATING = 64;
/** Enough that a request never waits for a connection. */
const CONNECTIONS = 256;

/**
 * What a subject adds to an upstream of 20 ms at half of the load that it reaches with 64 connections: order books, each another.
 * The same load straight at the upstream is taken from it.
 */
async function measure(subject, { options, generator, world, askEach }) {
  const times = { warmUpMs: options.warmUpMs, measureMs: options.measureMs };
  const request = { ...askEach(subject), port: subject.port };
  const full = await measureRun(generator, {
    group: { ...request, connections: SATURATING },
    pid: subject.pid,
    ...times,
  });
  const rate = full.rate / 2;
  const direct = {
    ...askEach({ name: 'direct', facts: { key: '-' } }),
    port: world.upstreamPort,
    connections: CONNECTIONS,
    rate,
  };
  const added = { p50: [], p99: [] };
  for (let round = 0; round < options.rounds; round += 1) {
    const time = { warmUpMs: 500, measureMs: options.measureMs };
    const through = await measureRun(generator, {
      group: { ...request, connections: CONNECTIONS, rate },
      pid: subject.pid,
      ...time,
    });
    const straight = await measureRun(generator, { group: direct, pid: subject.pid, ...time });
    for (const share of ['p50', 'p99'])
      added[share].push(through[share] === null || straight[share] === null ? null : through[share] - straight[share]);
  }
  return { fullRate: full.rate, rate, p50: median(added.p50), p99: median(added.p99), bad: full.bad };
}

export const HALF_LOAD = {
  id: 'half-load',
  subjects: ['ours', 'before', 'node', 'hpm', 'nest'],
  title: `added by each at half load, upstream ${UPSTREAM_MS} ms, order book, each another`,
  async run(context) {
    const found = {};
    await context.world.setLatency(UPSTREAM_MS);
    const names = context.options.quick ? ['ours', 'node'] : HALF_LOAD.subjects;
    for (const subject of context.subjects.filter(({ name }) => names.includes(name))) {
      found[subject.name] = await measure(subject, context);
    }
    await context.world.setLatency(0);
    const lines = Object.entries(found).map(([name, { rate, p50, p99 }]) => [
      name,
      `at ${digits(rate, 0)} requests/s`,
      `p50 + ${digits(p50, 2)} ms, p99 + ${digits(p99, 2)} ms`,
    ]);
    return { found, lines };
  },
};

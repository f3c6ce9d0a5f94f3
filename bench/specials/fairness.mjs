import { digits } from '../lib/format.mjs';
import { toRound, WARM_UP_REQUESTS_PER_MS } from '../lib/measurement.mjs';
import { processTree } from '../lib/process-facts.mjs';
import { median } from '../lib/statistics.mjs';

const READS_PER_SECOND = 100;
const ORDERS_PER_SECOND = 50;
const CONNECTIONS = 64;
/** At 50 orders a second, 300 answers: the p99 is not the worst single one. */
const LONGER = 5;
const SETTLE_MS = 500;

/**
 * The p99 of one kind of call at a low, even rate, alone and while the other kind saturates the service, in turn. Both kinds have
 * been called at full load before, so that no code is cold. What the same rate straight at the stand-in takes beside the same load
 * says how much of the p99 is that of the machine's other core, which generator, stand-in and database share.
 */
async function measure({ generator, options, world }, { pid, port }, { quiet, loud, straight }) {
  const here = { port, connections: CONNECTIONS };
  const run = async (groups, times) => toRound(await generator.run({ groups, pids: processTree(pid), ...times }));
  const { rate, ...saturating } = quiet;
  const warmUp = {
    warmUpMs: options.warmUpMs,
    warmUpRequests: options.warmUpMs * WARM_UP_REQUESTS_PER_MS,
    measureMs: 0,
  };
  for (const group of [saturating, loud]) await run([{ ...group, ...here }], warmUp);
  const times = { warmUpMs: SETTLE_MS, measureMs: options.measureMs * LONGER };
  const even = { ...quiet, ...here };
  const direct = { ...straight, port: world.upstreamPort, connections: CONNECTIONS, rate };
  const rounds = { alone: [], beside: [], straight: [] };
  for (let round = 0; round < options.rounds; round += 1) {
    const loads = { alone: [even], beside: [even, { ...loud, ...here }], straight: [direct, { ...loud, ...here }] };
    for (const [name, groups] of Object.entries(loads)) rounds[name].push(await run(groups, times));
  }
  const p99 = (name) => median(rounds[name].map((round) => round.p99));
  const [aloneP99, besideP99] = [p99('alone'), p99('beside')];
  const ratio = aloneP99 === null || besideP99 === null ? null : besideP99 / aloneP99;
  return { aloneP99, besideP99, straightP99: p99('straight'), ratio, rounds };
}

export const FAIRNESS = {
  id: 'fairness',
  subjects: ['ours', 'before'],
  title: 'reads beside saturating orders, and the other way round',
  async run(context) {
    const found = {};
    for (const subject of context.own) {
      const order = context.askOrder(subject);
      // By another user: no one has to wait for his own calls alone.
      const read = { ...context.askEach(subject), headers: { Authorization: `Bearer ${subject.facts.sessionKey}` } };
      const straight = context.askEach({ name: 'direct', facts: { key: '-' } });
      const kinds = {
        reads: { quiet: { ...read, rate: READS_PER_SECOND }, loud: order, straight },
        orders: { quiet: { ...order, rate: ORDERS_PER_SECOND }, loud: read, straight },
      };
      found[subject.name] = {};
      for (const [kind, calls] of Object.entries(kinds))
        found[subject.name][kind] = await measure(context, subject, calls);
    }
    return { found, lines: linesOf(found) };
  },
};

function linesOf(found) {
  return Object.entries(found).flatMap(([name, kinds]) =>
    Object.entries(kinds).map(([kind, { aloneP99, besideP99, straightP99, ratio }]) => [
      name,
      `p99 of ${kind}`,
      `${digits(aloneP99, 1)} ms alone, ${digits(besideP99, 1)} ms beside the other kind (${digits(straightP99, 1)} ms straight ` +
        `at the stand-in): ${digits(ratio, 1)} ×`,
    ]),
  );
}

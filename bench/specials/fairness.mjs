import { digits } from '../lib/format.mjs';
import { toRound } from '../lib/measurement.mjs';
import { processTree } from '../lib/process-facts.mjs';

const READS_PER_SECOND = 100;
const ORDERS_PER_SECOND = 50;
const CONNECTIONS = 64;

/** The p99 of one kind of call at a low, even rate: alone, then while the other kind saturates the service. */
async function measure({ generator, options }, subject, quiet, loud) {
  const port = { port: subject.port, connections: CONNECTIONS };
  const run = async (groups) => {
    const times = { warmUpMs: options.warmUpMs, measureMs: options.measureMs * 5 };
    return toRound(await generator.run({ groups, pids: processTree(subject.pid), ...times }));
  };
  const alone = await run([{ ...quiet, ...port }]);
  const beside = await run([
    { ...quiet, ...port },
    { ...loud, ...port },
  ]);
  return {
    aloneP99: alone.p99,
    besideP99: beside.p99,
    ratio: alone.p99 === null || beside.p99 === null ? null : beside.p99 / alone.p99,
    bad: beside.bad,
  };
}

export const FAIRNESS = {
  id: 'fairness',
  subjects: ['ours'],
  title: 'reads beside saturating orders, and the other way round',
  async run(context) {
    const subject = context.own.find(({ name }) => name === 'ours');
    if (subject === undefined) return null;
    const order = context.askOrder(subject);
    // By another user: no one has to wait for his own calls alone.
    const read = { ...context.askEach(subject), headers: { Authorization: `Bearer ${subject.facts.sessionKey}` } };
    const found = {
      reads: await measure(context, subject, { ...read, rate: READS_PER_SECOND }, order),
      orders: await measure(context, subject, { ...order, rate: ORDERS_PER_SECOND }, read),
    };
    const lines = Object.entries(found).map(([name, { aloneP99, besideP99, ratio }]) => [
      'ours',
      `p99 of ${name}`,
      `${digits(aloneP99, 1)} ms alone, ${digits(besideP99, 1)} ms beside the other kind: ${digits(ratio, 1)} ×`,
    ]);
    return { found, lines };
  },
};

import { setTimeout as delay } from 'node:timers/promises';
import { cpuSeconds } from '../lib/process-facts.mjs';
import { Group } from './group.mjs';

/** How long answers that are under way when the time is over are waited for. */
const LAST_ANSWERS_MS = 10_000;
const MOST_WARM_UPS = 10;

/**
 * Runs one plan: all groups at once, first for warm-up, then counted for `measureMs`. Returns seconds, what each group counted, and
 * in the same time the CPU seconds of each process of `pids` and, a second, those of the load (this process and `loadPids`).
 */
async function run({ groups: plans, warmUpMs, warmUpRequests = 0, measureMs, pids, loadPids = [] }) {
  const groups = plans.map((plan) => new Group(plan));
  for (const group of groups) group.start();
  await warmUp(groups, warmUpMs, warmUpRequests);
  for (const group of groups) group.reset();
  const [cpuBefore, loadBefore, startedAt] = [pids.map(cpuSeconds), loadSeconds(loadPids), performance.now()];
  await delay(measureMs);
  const seconds = (performance.now() - startedAt) / 1_000;
  const cpu = pids.map(cpuSeconds).map((after, at) => after - cpuBefore[at]);
  const load = (loadSeconds(loadPids) - loadBefore) / seconds;
  for (const group of groups) group.stop();
  const counted = groups.map((group) => group.summary());
  for (let waited = 0; waited < LAST_ANSWERS_MS && !groups.every((group) => group.isIdle); waited += 5) await delay(5);
  for (const group of groups) group.close();
  // What went wrong among the last answers counts too.
  const ended = groups.map((group) => group.summary());
  return {
    seconds,
    cpuSeconds: cpu,
    load,
    groups: counted.map((count, at) => ({ ...count, bad: ended[at].bad, states: ended[at].states })),
  };
}

/** CPU time of this process and of what works with it. */
function loadSeconds(pids) {
  return [process.pid, ...pids].reduce((sum, pid) => sum + cpuSeconds(pid), 0);
}

/** A slow machine needs longer until all code is compiled: until there were enough answers, but ten times as long at most. */
async function warmUp(groups, warmUpMs, requests) {
  if (warmUpMs > 0) await delay(warmUpMs);
  const isWarm = () => groups.every((group) => group.answered >= requests);
  for (let waited = warmUpMs; waited < MOST_WARM_UPS * warmUpMs && !isWarm(); waited += 100) await delay(100);
}

process.on('message', (plan) => {
  run(plan).then(
    (result) => process.send({ result }),
    (error) => process.send({ error: error.stack }),
  );
});
process.on('disconnect', () => process.exit());

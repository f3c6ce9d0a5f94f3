import { setTimeout as delay } from 'node:timers/promises';
import { cpuSeconds } from '../lib/process-facts.mjs';
import { Group } from './group.mjs';

/** How long answers that are under way when the time is over are waited for. */
const LAST_ANSWERS_MS = 10_000;
const MOST_WARM_UPS = 10;

/**
 * Runs one plan `{ groups, warmUpMs, warmUpRequests, measureMs, pids, loadPids }`: all groups at once, first for warm-up, then counted. Returns seconds,
 * what each group counted, and the CPU seconds that the processes `pids` took in the same time.
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
  for (const group of groups) group.reset();
  for (let waited = 0; waited < LAST_ANSWERS_MS && !groups.every((group) => group.isIdle); waited += 5) await delay(5);
  for (const group of groups) group.close();
  return { seconds, cpuSeconds: cpu, load, groups: counted.map((count, at) => withLate(count, groups[at].summary())) };
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

/** Failures among the last answers count too. */
function withLate(counted, late) {
  const bad = { ...counted.bad };
  for (const [kind, count] of Object.entries(late.bad)) bad[kind] = (bad[kind] ?? 0) + count;
  return { ...counted, bad, states: late.states };
}

process.on('message', (plan) => {
  run(plan).then(
    (result) => process.send({ result }),
    (error) => process.send({ error: error.stack }),
  );
});
process.on('disconnect', () => process.exit());

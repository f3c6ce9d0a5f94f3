import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { cpuSeconds, stolenSeconds } from '../lib/process-facts.mjs';
import { Group } from './group.mjs';

/** How long answers that are under way when the time is over are waited for. */
const LAST_ANSWERS_MS = 10_000;
const MOST_WARM_UPS = 10;
const CORES = availableParallelism();
/** How many times as long as asked a run takes at most to come to its answers. */
const MOST_RUNS = 4;

/**
 * Runs one plan: all groups at once, first for warm-up, then counted for `measureMs` and until there are
 * `measureRequests` answers. Returns seconds, what each group counted, and in the same time the CPU seconds of each process
 * of `pids`, of all `databasePids` together and, a second, of the load (this process and `loadPids`); `stolen` is the share of
 * the machine's CPU time that its host gave to others.
 */
async function run({
  groups: plans,
  warmUpMs,
  warmUpRequests = 0,
  measureMs,
  measureRequests = 0,
  pids,
  loadPids = [],
  databasePids = [],
}) {
  const groups = plans.map((plan) => new Group(plan));
  for (const group of groups) group.start();
  // A slow machine needs longer until all code is compiled.
  await answersOf(groups, warmUpRequests, { leastMs: warmUpMs, most: MOST_WARM_UPS });
  for (const group of groups) group.reset();
  const [cpuBefore, databaseBefore] = [pids.map(cpuSeconds), secondsOf(databasePids)];
  const loadBefore = secondsOf([process.pid, ...loadPids]);
  const [stolenBefore, startedAt] = [stolenSeconds(), performance.now()];
  await answersOf(groups, measureRequests, { leastMs: measureMs, most: MOST_RUNS });
  const seconds = (performance.now() - startedAt) / 1_000;
  const cpu = pids.map(cpuSeconds).map((after, at) => after - cpuBefore[at]);
  const databaseSeconds = secondsOf(databasePids) - databaseBefore;
  const load = (secondsOf([process.pid, ...loadPids]) - loadBefore) / seconds;
  const stolen = (stolenSeconds() - stolenBefore) / seconds / CORES;
  for (const group of groups) group.stop();
  const counted = groups.map((group) => group.summary());
  for (let waited = 0; waited < LAST_ANSWERS_MS && !groups.every((group) => group.isIdle); waited += 5) await delay(5);
  for (const group of groups) group.close();
  // What went wrong among the last answers counts too.
  const ended = groups.map((group) => group.summary());
  return {
    seconds,
    cpuSeconds: cpu,
    databaseSeconds,
    load,
    stolen,
    groups: counted.map((count, at) => ({ ...count, bad: ended[at].bad, states: ended[at].states })),
  };
}

/** CPU time of processes together. */
function secondsOf(pids) {
  return pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0);
}

/** Waits for a time and until each group has so many answers, but `most` times as long at most. */
async function answersOf(groups, count, { leastMs, most }) {
  if (leastMs > 0) await delay(leastMs);
  const isEnough = () => groups.every((group) => group.answered >= count);
  for (let waited = leastMs; waited < most * leastMs && !isEnough(); waited += 100) await delay(100);
}

process.on('message', (plan) => {
  run(plan).then(
    (result) => process.send({ result }),
    (error) => process.send({ error: error.stack }),
  );
});
process.on('disconnect', () => process.exit());

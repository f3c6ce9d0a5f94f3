import { digits } from '../lib/format.mjs';
import { setTimeout as delay } from 'node:timers/promises';
import { measureRun, RssWatch } from '../lib/measurement.mjs';
import { residentMb } from '../lib/process-facts.mjs';
import { freePort, SERVER_CORE, stop } from '../lib/servers.mjs';
import { median } from '../lib/statistics.mjs';

const STARTS = 5;
const REST_MS = 3_000;
const MOST_CONNECTIONS = 1_024;

/** How fast a service of ours starts on a database that is there, and what memory it takes, at rest and when busy. */
async function measure(subject, { options, generator, ask }) {
  const replica = subject.facts.ours.replica(await freePort());
  const startMs = [];
  const restMb = [];
  for (let time = 0; time < (options.quick ? 3 : STARTS); time += 1) {
    const server = await replica.start(SERVER_CORE);
    startMs.push(server.readyMs);
    if (time === 0) {
      await delay(REST_MS);
      restMb.push(residentMb(server.child.pid));
    }
    await stop(server);
  }
  const server = await replica.start(SERVER_CORE);
  const watch = new RssWatch(server.child.pid);
  const group = { ...ask(subject), port: replica.port, connections: MOST_CONNECTIONS };
  await measureRun(generator, {
    group,
    pid: server.child.pid,
    warmUpMs: options.warmUpMs,
    measureMs: options.measureMs * 2,
  });
  const busyMb = watch.stop().max;
  await stop(server);
  return { startMs: median(startMs), restMb: median(restMb), busyMb };
}

export const START_AND_REST = {
  id: 'start',
  subjects: ['ours', 'before'],
  title: 'start-up and memory',
  async run(context) {
    const found = {};
    for (const subject of context.own) found[subject.name] = await measure(subject, context);
    return {
      found,
      lines: Object.entries(found).flatMap(([name, { startMs, restMb, busyMb }]) => [
        [name, 'ready after the start, outside database', `${digits(startMs / 1_000, 2)} s`],
        [name, 'resident memory at rest', `${digits(restMb, 0)} MB`],
        [name, `resident memory at ${MOST_CONNECTIONS} connections`, `${digits(busyMb, 0)} MB`],
      ]),
    };
  },
};

import { digits } from '../lib/format.mjs';
import { startNginx } from '../subjects/nginx.mjs';
import { measureRun } from '../lib/measurement.mjs';
import { freePort, stop } from '../lib/servers.mjs';
import { hasProgram } from '../lib/subjects.mjs';

const CONNECTIONS = 256;

/** Instances of this service behind nginx on whatever cores the machine has: nothing is pinned. */
async function measure(count, subject, { options, generator, world, ask }) {
  const servers = [];
  try {
    const ports = [];
    for (let at = 0; at < count; at += 1) {
      const replica = subject.facts.ours.replica(await freePort());
      servers.push(await replica.start(null));
      ports.push(replica.port);
    }
    const port = await freePort();
    servers.push(await startNginx({ directory: world.directory, port, ports, path: '/health/ready', core: null }));
    const group = { ...ask(subject), port, connections: CONNECTIONS };
    const times = { warmUpMs: options.warmUpMs, measureMs: options.measureMs * 2 };
    return await measureRun(generator, { group, pid: servers[0].child.pid, ...times });
  } finally {
    for (const server of servers.reverse()) await stop(server);
  }
}

export const REPLICAS = {
  id: 'replicas',
  subjects: ['ours'],
  title: 'instances behind nginx, order book, asked again',
  async run(context) {
    const subject = context.own.find(({ name }) => name === 'ours');
    if (subject === undefined || !hasProgram('nginx')) return null;
    const found = { one: await measure(1, subject, context), two: await measure(2, subject, context) };
    const lines = Object.entries(found).map(([name, { rate, p50, p99 }]) => [
      'ours',
      `${name} behind nginx`,
      `${digits(rate, 0)} requests/s, p50 ${digits(p50, 2)} ms, p99 ${digits(p99, 2)} ms`,
    ]);
    return { found, lines };
  },
};

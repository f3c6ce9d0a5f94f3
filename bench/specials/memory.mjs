import { digits } from '../lib/format.mjs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { measureRun, RssWatch } from '../lib/measurement.mjs';
import { freePort, SERVER_CORE, stop } from '../lib/servers.mjs';
import { mean } from '../lib/statistics.mjs';

const KEYS = 20_000;
const TARGETS = 60_000;
const RATE = 500;
const CONNECTIONS = 64;
/** How much more the last quarter of the run may take than the second. */
const FLAT = 1.05;

/** Many users with a key each, written straight into the database. */
async function manyKeys(dist, database) {
  const { generateApiKey, prefixOf } = await import(
    pathToFileURL(join(dist, 'src', 'api-keys', 'api-key.format.js')).href
  );
  const keys = Array.from({ length: KEYS }, () => generateApiKey());
  const users = `INSERT INTO users (id, email, name, role, email_verified_at, created_at, updated_at)
    SELECT 'bench' || n, 'bench' || n || '@example.com', 'Bench', 'user', now(), now(), now() FROM generate_series(1, $1) AS n`;
  const rows = `INSERT INTO api_keys (hash, prefix, user_id, name, scopes, created_at)
    SELECT decode(hash, 'hex'), prefix, 'bench' || n, 'bench', '{read}', now()
    FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS k (hash, prefix, n)`;
  await database.query('bench_ours', users, [KEYS]);
  const hashes = keys.map((key) => createHash('sha256').update(key).digest('hex'));
  await database.query('bench_ours', rows, [hashes, keys.map(prefixOf)]);
  return keys;
}

export const MEMORY = {
  id: 'memory',
  subjects: ['ours'],
  title: `memory at ${RATE} requests/s with ${KEYS} keys and ${TARGETS} targets`,
  async run({ own, options, world, generator, ask }) {
    const subject = own.find(({ name }) => name === 'ours');
    if (subject === undefined) return null;
    const tokens = await manyKeys(options.ours, world.database);
    const replica = subject.facts.ours.replica(await freePort());
    const server = await replica.start(SERVER_CORE);
    const watch = new RssWatch(server.child.pid);
    const path = ask(subject).path.replace(/B55\.5/, 'B{n}');
    const request = { ...ask(subject), path, headers: { Authorization: 'Bearer {token}' }, tokens, targets: TARGETS };
    const group = { ...request, port: replica.port, connections: CONNECTIONS, rate: RATE };
    const measureMs = options.memorySeconds * 1_000;
    const run = await measureRun(generator, { group, pid: server.child.pid, warmUpMs: 1_000, measureMs });
    const { samples, max } = watch.stop();
    await stop(server);
    const quarter = Math.floor(samples.length / 4);
    const [early, late] = [mean(samples.slice(quarter, 2 * quarter)), mean(samples.slice(-quarter))];
    const found = {
      seconds: options.memorySeconds,
      earlyMb: early,
      lateMb: late,
      maxMb: max,
      bad: run.bad,
      flat: late <= early * FLAT,
    };
    const value = `${digits(early, 0)} MB in the second quarter, ${digits(late, 0)} MB in the last, ${digits(max, 0)} MB at most`;
    return { found, lines: [['ours', `resident memory in ${options.memorySeconds} s`, value]] };
  },
};

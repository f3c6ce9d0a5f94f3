import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import request, { type Response } from 'supertest';
import { startTestApp, type TestApp } from '../support/app.js';
import { get, logIn, patch, post, type SignedIn } from '../support/calls.js';
import { anApiKey, aUser } from '../support/users.js';
import { Forwarder } from './forwarder.js';
import { Impostors } from './impostors.js';
import { PostgresServer } from './postgres-server.js';
import {
  expectUnavailable,
  startWatched,
  statusOf,
  untilReadyIs,
  type WatchedService,
  within,
} from './watched-service.js';

/** How the server goes away, how long calls may then take, and how it comes back. */
const OUTAGES: readonly (readonly [
  name: string,
  limitMs: number,
  goes: (server: PostgresServer) => Promise<void>,
  returns: (server: PostgresServer) => Promise<void>,
])[] = [
  ['is stopped', 3_000, (server) => server.stop(), (server) => server.start()],
  ['is killed', 3_000, (server) => server.kill(), (server) => server.start()],
  ['hangs', 8_000, (server) => server.freeze(), (server) => server.thaw()],
];

describe('when the database is away (R-3, R-5)', () => {
  let primary: PostgresServer;
  let standby: PostgresServer;
  let address: Forwarder;
  let app: WatchedService;
  let person: SignedIn;
  let key: string;
  let impostors: Impostors;

  beforeAll(async () => {
    primary = await PostgresServer.make();
    standby = await PostgresServer.make(primary);
    await primary.start();
    await standby.start(await standby.follow(primary));
    address = await Forwarder.to(primary.socket);
    // API_KEY_CACHE_TTL is 0: nothing that was known before may be trusted.
    app = await startWatched({ url: address.url, drop: () => Promise.resolve() });
    person = await aUser(app);
    key = await anApiKey(app, person);
    impostors = await Impostors.make(app);
  });

  afterAll(async () => {
    await app.close();
    await address.close();
    await standby.close();
    await primary.close();
  });

  const callAll = (): Promise<Response[]> =>
    Promise.all([
      logIn(app, person.email),
      get(app, '/account/profile', person.token),
      get(app, '/me', key),
      post(app, '/auth/forgot-password', { email: person.email }),
    ]);

  async function expectWell(): Promise<void> {
    await within(10_000, () => untilReadyIs(app, 200));
    expect((await callAll()).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  }

  it.each(OUTAGES)(
    'R-3, R-5 where it %s, ready is 503 within 5 s and calls in time, live stays 200, nobody gets in, and all is well again',
    async (_name, limitMs, goes, returns) => {
      await expectWell();
      const loggedBefore = app.log().length;
      impostors.start();
      await goes(primary);
      try {
        const calls = within(limitMs, callAll);
        await within(5_000, () => untilReadyIs(app, 503));
        expect((await request(app.url).get('/health/ready')).body).toEqual({ status: 'unavailable' });
        expect(await statusOf(app, '/health/live')).toBe(200);
        expectUnavailable(await calls);
      } finally {
        await returns(primary);
      }
      await expectWell();
      expect(await impostors.stop()).toEqual({ letIn: [], unanswered: [] });
      expect(app.log().slice(loggedBefore)).toContain('The service cannot reach its database.');
    },
  );

  it('R-5 where it is restarted, all is well again by itself, and nobody gets in', async () => {
    await expectWell();
    impostors.start();
    await primary.stop();
    await primary.start();
    await expectWell();
    expect(await impostors.stop()).toEqual({ letIn: [], unanswered: [] });
  });

  it('R-5, R-6 where it hangs and another server takes over at its address, all that was acknowledged is there', async () => {
    await expectWell();
    await primary.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`);
    await primary.query('SELECT pg_reload_conf()');
    while ((await primary.query(`SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'`)).length === 0);
    expect((await patch(app, '/account/profile', person.token, { display_name: 'The Last Name' })).status).toBe(200);
    impostors.start();
    await primary.freeze();
    await within(5_000, () => untilReadyIs(app, 503));
    // Too early, as happens: what only reads may be behind, and is as good as away.
    address.leadTo(standby.socket);
    expect((await request(app.url).get('/health/ready')).body).toEqual({ status: 'unavailable' });
    expectUnavailable([await patch(app, '/account/profile', person.token, { display_name: 'Nobody' })]);
    expectUnavailable([await get(app, '/account/profile', person.token)]);
    await standby.query('SELECT pg_promote()');
    await expectWell();
    expect((await get(app, '/account/profile', person.token)).body).toMatchObject({ name: 'The Last Name' });
    expect((await patch(app, '/account/profile', person.token, { display_name: 'The Next Name' })).status).toBe(200);
    expect(await impostors.stop()).toEqual({ letIn: [], unanswered: [] });
    expect(await standby.query('SELECT 1 FROM users WHERE name = $$The Next Name$$')).toHaveLength(1);
    // Nobody ended the old server for good, and it comes back.
    await primary.thaw();
    const reads = await Promise.all(Array.from({ length: 20 }, () => get(app, '/account/profile', person.token)));
    expect(reads.map(({ body }) => (body as { name: string }).name)).toEqual(reads.map(() => 'The Next Name'));
    await primary.kill();
    await expectWell();
    expect((await get(app, '/account/profile', person.token)).body).toMatchObject({ name: 'The Next Name' });
  });
});

describe('when all connections to the database are taken (R-10)', () => {
  let app: TestApp;
  let holder: pg.Client | undefined;

  beforeAll(async () => {
    app = await startTestApp({ DATABASE_POOL_MAX: '2' });
  });

  afterEach(async () => {
    await holder?.end();
  });

  afterAll(() => app.close());

  it('R-10 with a pool of 2 and locks held, those who wait for one are 503 in time, and none waits without end', async () => {
    const { email } = await aUser(app);
    holder = new pg.Client({ connectionString: app.database.url });
    await holder.connect();
    await holder.query('BEGIN; LOCK TABLE users');
    const answers = await within(8_000, () => Promise.all(Array.from({ length: 6 }, () => logIn(app, email))));
    expectUnavailable(answers);
    expect(await statusOf(app, '/health/live')).toBe(200);
    await holder.query('COMMIT');
    expect((await logIn(app, email)).status).toBe(200);
  });
});

import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import request, { type Response } from 'supertest';
import { RouteTable } from '../src/access/route-table.js';
import { Retention } from '../src/platform/retention/retention.js';
import { type TestApp } from './support/app.js';
import { codeOf, get, logIn, PASSWORD, refresh, refreshOf, remove, signedIn } from './support/calls.js';
import { heldBy } from './support/hostile.js';
import { sql } from './support/rows.js';
import { aTrader, startTestStand, type TestStand, type Trader } from './support/sandbox.js';
import { aUser, type TestUser } from './support/users.js';

const MANY = 50_000;
/** Retention takes away some. */
const MORE = 55_000;
const LIMIT_MS = 5_000;
const HOLD_MS = 50;
const MOST_BYTES = 1_000_000;
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64) '.padEnd(512, 'x');

/** What cannot grow by the requests of one user, and why. */
const CANNOT_GROW: Readonly<Record<string, string>> = {
  users: 'one row a user',
  exchange_credentials: 'one row an exchange',
  session_keys: 'two rows an exchange',
  bot_sums: 'one row a bot',
  bot_risks: 'one row a bot and currency',
  reservations: 'goes with its row of placements',
  equity_records: 'one row a user',
  whitelist_emails: 'written by the operator',
  unproved_signups: 'one row a sign-up, removed after 31 days',
  encryption_keys: 'one row a key of ENCRYPTION_KEYS',
  encryption_counts: 'one row a key of ENCRYPTION_KEYS',
  api_key_caches: 'one row an instance',
  catalogue_markets: 'what exchanges list',
  catalogue_events: 'what exchanges list',
  catalogue_parts: 'one row an exchange',
  catalogue_pages: 'what exchanges list',
  catalogue_walker: 'one row',
  migrations: 'one row a migration',
};

/** Of sessions and devices it takes thousands at once, and may come by itself meanwhile; of bots a user makes 100 a day. */
const COUNTS: Readonly<Record<string, number>> = { sessions: 65_000, known_devices: 65_000, bots: 9_100 };

/** What retention leaves alone. */
const KEPT = new Set(['user_identities']);

/** How one user's rows get into each table that a user's requests can fill; `$1` is the user's id, `$2` the address. */
const FILLS: Readonly<Record<string, string>> = {
  sessions: `(id, user_id, refresh_hash, ip, user_agent, expires_at, last_used_at)
    SELECT 'ses_' || n, $1, sha256(n::text::bytea), '203.0.113.7', '${AGENT}', now() + interval '20 days', now() - n * interval '1 second'`,
  refresh_rotations: `(parent_hash, session_id, successor_hash, rotated_at)
    SELECT sha256(n::text::bytea), 'ses_1', sha256(n::text::bytea), now() - n * interval '4 seconds'`,
  known_devices: `(user_id, network, device, last_login_at)
    SELECT $1, '203.0.113.' || n, '${AGENT.slice(0, 200)}', now() - n * interval '1 minute'`,
  user_identities: `(provider, subject, user_id) SELECT 'google', 'subject-' || n, $1`,
  account_tokens: `(token_hash, purpose, subject_id, email, expires_at)
    SELECT sha256(n::text::bytea), 'reset', $1, $2, now() + n * interval '1 second' - interval '2 days'`,
  pending_signups: `(id, email, name, password_hash, created_at)
    SELECT 'pnd_' || n, $2, 'Somebody', repeat('h', 60), now() - n * interval '20 seconds'`,
  mail_outbox: `(id, kind, recipient, data, next_attempt_at, done_at, outcome)
    SELECT 'mail_' || n, 'notice', $2, '{}', now(), now() - n * interval '20 seconds', 'sent'`,
  rate_limits: `(key, points, expire)
    SELECT $1 || ':' || n, 1, (extract(epoch FROM now()) * 1000)::bigint + (n - 27000) * 1000`,
  security_events: `(id, type, user_id, ip, user_agent, request_id, exchange, details, created_at)
    SELECT 'evt_' || n, CASE n % 4 WHEN 0 THEN 'login' WHEN 1 THEN 'order_created' WHEN 2 THEN 'transfer_created' ELSE 'session_revoked' END,
      $1, '203.0.113.7', '${AGENT}', 'req_' || n, 'kalshi',
      jsonb_build_object('order_id', 'o-' || n, 'client_order_id', 'c-' || n, 'transfer_id', 't-' || n, 'market_id', 'm-' || n),
      now() - n * interval '11 minutes'`,
  api_keys: `(hash, prefix, user_id, name, scopes, created_at, revoked_at)
    SELECT sha256(n::text::bytea), 'svc_sk_live_' || n, $1, 'key ' || n, '{read}', now(), now() - n * interval '2.5 minutes'`,
  bots: `(id, user_id, name, scopes, created_at, halted_at, halt_reason, halt_complete_at, removed_at)
    SELECT 'bot_' || n, $1, 'bot ' || n, '{read}', now(), now(), 'owner', now(), now() - n * interval '15 minutes'`,
  bot_keys: `(hash, prefix, bot_id, user_id, created_at, revoked_at)
    SELECT sha256(n::text::bytea), 'svc_sk_live_' || n, 'bot_' || n % 9100 + 1, $1, now(), now() - n * interval '2.5 minutes'`,
  bot_positions: `(bot_id, exchange, market_id, currency) SELECT 'bot_' || n % 9100 + 1, 'kalshi', 'm-' || n, 'USD'`,
  placements: `(id, user_id, exchange, kind, key, fingerprint, state, answer, attempt_at, created_at, updated_at, busy_until,
      exchange_id, unbound_at)
    SELECT 'plc_' || n, $1, 'kalshi', CASE n % 4 WHEN 0 THEN 'transfer' ELSE 'order' END, 'key-' || n, sha256('x'), 'made', '{}',
      now() - n * interval '1.6 seconds', now() - n * interval '2.4 minutes', now() - n * interval '2.4 minutes', now(),
      'o-' || n, CASE WHEN n > 54500 THEN now() END`,
  order_previews: `(id, bot_id, exchange, market_id, request, of_day, created_at)
    SELECT 'prv_' || n, 'bot_' || n % 9100 + 1, 'kalshi', 'm-' || n, '{}', 1, now() - n * interval '1.6 seconds'`,
  equity_points: `(user_id, at, totals) SELECT $1, now() - n * interval '11 minutes', '[{"currency": "USD", "equity": "1"}]'`,
  idempotency_keys: `(user_id, sender, exchange, kind, key, placement_id, created_at)
    SELECT $1, '', 'kalshi', CASE n % 4 WHEN 0 THEN 'transfer' ELSE 'order' END, 'key-' || n, 'plc_' || n,
      now() - n * interval '1.6 seconds'`,
  order_amends: `(user_id, exchange, order_id, claim, busy_until)
    SELECT $1, 'kalshi', 'o-' || n, 'c-' || n, now() - n * interval '2.5 minutes'`,
};

interface Owner {
  readonly id: string;
  readonly email: string;
}

/** The statement that fills a table, and its values. */
function filling(table: string, user: Owner, count: number): [text: string, values: string[]] {
  const statement = FILLS[table] ?? '';
  const values = [user.id, user.email].filter((_, index) => statement.includes(`$${index + 1}`));
  const text = statement.includes('$1') ? statement : statement.replaceAll('$2', '$1');
  return [`INSERT INTO ${table} ${text} FROM generate_series(1, ${count}) n`, values];
}

async function fill(app: TestApp, table: string, user: Owner, count: number): Promise<void> {
  await sql(app, ...filling(table, user, count));
}

/** All tables, at once for whoever looks: retention may come by itself meanwhile. */
async function fillAll(app: TestApp, user: Owner): Promise<void> {
  const client = new pg.Client({ connectionString: app.database.url });
  await client.connect();
  try {
    await client.query('BEGIN');
    for (const table of Object.keys(FILLS)) await client.query(...filling(table, user, COUNTS[table] ?? MORE));
    await client.query('COMMIT');
  } finally {
    await client.end();
  }
}

async function countOf(app: TestApp, table: string, condition: string, ...values: unknown[]): Promise<number> {
  const rows = await sql<{ n: number }>(app, `SELECT count(*)::int AS n FROM ${table} WHERE ${condition}`, values);
  return rows[0]?.n ?? -1;
}

describe('what one user can fill', () => {
  let stand: TestStand;
  let app: TestApp;

  beforeAll(async () => {
    stand = await startTestStand({ RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_AUTH: '100000/1m' });
    ({ app } = stand);
  });

  afterAll(() => stand.close());

  const eventsOf = (user: TestUser): Promise<Record<string, unknown>[]> =>
    app.query(`SELECT details FROM security_events WHERE user_id = $1 AND type = 'session_revoked'`, [user.id]);

  it('S-23, R-22 the 51st sign-in ends the session that was used longest ago, with an event, and no other', async () => {
    const user = await aUser(app);
    await fill(app, 'sessions', user, 49);
    expect((await get(app, '/account/sessions', user.token)).body).toMatchObject({ sessions: { length: 50 } });
    await sql(app, `UPDATE sessions SET last_used_at = now() - interval '1 hour' WHERE id = 'ses_7'`);
    const newest = signedIn(await logIn(app, user.email));
    const { sessions } = (await get(app, '/account/sessions', newest.token)).body as { sessions: { id: string }[] };
    expect(sessions).toHaveLength(50);
    expect(sessions.map(({ id }) => id)).not.toContain('ses_7');
    expect((await get(app, '/account/profile', user.token)).status).toBe(200);
    expect(await eventsOf(user)).toEqual([{ details: { session_id: 'ses_7', reason: 'too_many' } }]);
    await sql(app, `DELETE FROM sessions WHERE id LIKE 'ses\\__' OR id LIKE 'ses\\___'`);
  });

  it('S-23, S-41 a user who signs in all day past the 50th session leaves one event of that an hour', async () => {
    const user = await aUser(app);
    await fill(app, 'sessions', user, 49);
    for (let count = 0; count < 5; count += 1) await logIn(app, user.email).expect(200);
    expect(await countOf(app, 'sessions', 'user_id = $1 AND revoked_at IS NULL', user.id)).toBe(50);
    expect(await eventsOf(user)).toHaveLength(1);
    await sql(app, `DELETE FROM sessions WHERE id ~ '^ses_[0-9]{1,2}$'`);
  });

  it('R-22 remembers the 50 sessions of a user that ended last, and the 50 devices that signed in last', async () => {
    const user = await aUser(app);
    await fill(app, 'sessions', user, 60);
    await sql(app, `UPDATE sessions SET revoked_at = last_used_at WHERE user_id = $1 AND id ~ '^ses_[0-9]{1,2}$'`, [
      user.id,
    ]);
    await fill(app, 'known_devices', user, 60);
    await logIn(app, user.email).expect(200);
    expect(await countOf(app, 'sessions', 'user_id = $1 AND revoked_at IS NOT NULL', user.id)).toBe(50);
    expect(await countOf(app, 'sessions', `id IN ('ses_50', 'ses_51')`)).toBe(1);
    expect(await countOf(app, 'known_devices', 'user_id = $1', user.id)).toBe(50);
    expect(await countOf(app, 'known_devices', `user_id = $1 AND network = '203.0.113.60'`, user.id)).toBe(0);
    expect(await eventsOf(user)).toEqual([]);
    await sql(app, `DELETE FROM sessions WHERE id ~ '^ses_[0-9]{1,2}$'`);
  });

  it('R-22 retention ends and forgets what a user had beyond that before there was a bound', async () => {
    const user = await aUser(app);
    await fill(app, 'sessions', user, 60);
    await fill(app, 'known_devices', user, 60);
    await app.get(Retention).run();
    expect(await countOf(app, 'sessions', 'user_id = $1 AND revoked_at IS NULL', user.id)).toBe(50);
    expect(await countOf(app, 'sessions', `revoked_at IS NULL AND id IN ('ses_1', 'ses_50')`)).toBe(1);
    expect(await countOf(app, 'known_devices', 'user_id = $1', user.id)).toBe(50);
    expect(await eventsOf(user)).toEqual([{ details: { count: 11, reason: 'too_many' } }]);
    expect((await get(app, '/account/profile', user.token)).status).toBe(200);
    await sql(app, `DELETE FROM sessions WHERE id ~ '^ses_[0-9]{1,2}$'`);
  });

  it('S-22 a session is rotated 20 times a minute; the call after that is 429, and the session goes on', async () => {
    const user = await aUser(app);
    let token = user.refresh;
    for (let rotation = 0; rotation < 20; rotation += 1) token = refreshOf(await refresh(app, token).expect(200));
    const refused = await refresh(app, token);
    expect([refused.status, codeOf(refused), refused.headers['set-cookie']]).toEqual([429, 'rate_limited', undefined]);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(30);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60);
    expect(
      await countOf(app, 'refresh_rotations', `session_id IN (SELECT id FROM sessions WHERE user_id = $1)`, user.id),
    ).toBe(20);
    const again = signedIn(await logIn(app, user.email));
    await refresh(app, again.refresh).expect(200);
    await sql(app, `UPDATE sessions SET rotations_from = now() - interval '61 seconds' WHERE user_id = $1`, [user.id]);
    await refresh(app, token).expect(200);
  });

  it('S-22 a refresh that the limit refused just before the minute ended goes through', async () => {
    const user = await aUser(app);
    await sql(
      app,
      `UPDATE sessions SET rotations = 20, rotations_from = now() - interval '58 seconds' WHERE user_id = $1`,
      [user.id],
    );
    const holder = new pg.Client({ connectionString: app.database.url });
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query('LOCK TABLE refresh_rotations');
    const answer = refresh(app, user.refresh).then(({ status }) => status);
    await delay(2_500);
    await holder.query('COMMIT');
    await holder.end();
    expect(await answer).toBe(200);
  });

  it('S-21, R-22 a token that was spent a day ago is not remembered: 401, and nothing ends', async () => {
    const user = await aUser(app);
    const next = await refresh(app, user.refresh).expect(200);
    await sql(app, `UPDATE refresh_rotations SET rotated_at = now() - interval '25 hours'`);
    await app.get(Retention).run();
    expect(await countOf(app, 'refresh_rotations', 'true')).toBe(0);
    expect((await refresh(app, user.refresh)).status).toBe(401);
    await refresh(app, refreshOf(next)).expect(200);
  });

  describe('R-22 50,000 rows of one user in each table', () => {
    let trader: Trader;
    /** How long this machine took to write the rows: five times as long as to delete them, where every index is there. */
    let filledMs: number;

    beforeAll(async () => {
      trader = await aTrader(stand);
      const began = performance.now();
      await fillAll(app, trader.user);
      filledMs = performance.now() - began;
      await sql(app, 'ANALYZE');
    }, 60_000);

    it('each table either cannot grow by the requests of one user, or is filled here', async () => {
      const tables = await sql<{ name: string }>(
        app,
        `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`,
      );
      const decided = [...Object.keys(FILLS), ...Object.keys(CANNOT_GROW)].sort();
      expect(tables.map(({ name }) => name)).toEqual(decided);
    });

    const call = (path: string, token: string): Promise<Response> =>
      new Promise((resolve, reject) => {
        request(app.url).get(path).auth(token, { type: 'bearer' }).then(resolve, reject);
      });

    it('S-53, R-22 every GET of the user’s own rows is quick, small and holds nobody up', async () => {
      const { user, key } = trader;
      const own = app
        .get(RouteTable)
        .list()
        .filter(({ method, access }) => method === 'GET' && access?.kind === 'session')
        .map(({ path }) => [path, user.token] as const);
      expect(own.map(([path]) => path)).toEqual(expect.arrayContaining(['/account/sessions', '/account/activity']));
      const traded = ['/me', '/kalshi/transfers/t-7', '/kalshi/transfers', '/kalshi/orders', '/kalshi/orders/o-7'];
      const paths = [
        ...own,
        ['/account/activity?limit=100', user.token] as const,
        ...traded.map((path) => [path, key] as const),
      ];
      for (const [path, token] of paths) {
        let { answer, tookMs, heldMs } = await heldBy(() => call(path, token));
        for (let attempt = 0; attempt < 3 && heldMs > HOLD_MS; attempt += 1) {
          ({ answer, tookMs, heldMs } = await heldBy(() => call(path, token)));
        }
        expect([path, answer.status < 500, tookMs < LIMIT_MS, heldMs < HOLD_MS, answer.text.length < MOST_BYTES]).toEqual([path, true, true, true, true]); // prettier-ignore
      }
    });

    it('R-22 retention is quick, and leaves no table as it was', async () => {
      const { tookMs } = await heldBy(() => app.get(Retention).run());
      expect(tookMs).toBeLessThan(Math.max(LIMIT_MS, filledMs));
      for (const table of Object.keys(FILLS).filter((name) => !KEPT.has(name))) {
        expect([table, (await countOf(app, table, 'true')) < (COUNTS[table] ?? MORE)]).toEqual([table, true]);
      }
      expect(await countOf(app, 'refresh_rotations', `rotated_at < now() - interval '25 hours'`)).toBe(0);
    });

    it('S-53, R-22 DELETE /account is quick', async () => {
      for (const table of [
        'sessions',
        'known_devices',
        'api_keys',
        'bots',
        'bot_keys',
        'idempotency_keys',
        'placements',
        'equity_points',
      ]) {
        const many = Math.min(MANY, COUNTS[table] ?? MANY) * 0.9;
        expect([table, (await countOf(app, table, 'user_id = $1', trader.user.id)) >= many]).toEqual([table, true]);
      }
      const token = signedIn(await logIn(app, trader.user.email)).token;
      const { answer, tookMs, heldMs } = await heldBy(async () =>
        remove(app, '/account', token, { password: PASSWORD }),
      );
      expect(answer.status).toBe(200);
      expect([tookMs < Math.max(LIMIT_MS, filledMs), heldMs < HOLD_MS]).toEqual([true, true]);
      for (const table of [
        'sessions',
        'known_devices',
        'api_keys',
        'bots',
        'bot_keys',
        'idempotency_keys',
        'placements',
        'equity_points',
      ]) {
        expect([table, await countOf(app, table, 'user_id = $1', trader.user.id)]).toEqual([table, 0]);
      }
    });
  });
});

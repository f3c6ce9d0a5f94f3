import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { ApiKeyCache } from '../src/api-keys/api-key-cache.js';
import { ApiKeyCacheLease } from '../src/api-keys/api-key-cache-lease.js';
import { sha256 } from '../src/platform/crypto/digests.js';
import { startTestApp, type TestApp } from './support/app.js';
import { EXCHANGES } from './support/exchanges.js';
import { type Instance, startInstance } from './support/instance.js';
import { storeCredentials } from './support/sandbox.js';
import { anApiKey, aUser, type TestUser, WALLET } from './support/users.js';

describe('API keys (specification.md 2.3, 4.10, 4.12)', () => {
  let app: TestApp;
  /** Has no key. */
  let keyless: TestUser;

  beforeAll(async () => {
    app = await startTestApp();
    keyless = await aUser(app);
  });

  afterAll(() => app.close());

  const bearer = { type: 'bearer' } as const;

  it('S-28 creates a key with 201, shows it once and lists it without the key', async () => {
    const user = await aUser(app);
    const created = await request(app.url)
      .post('/account/api-keys')
      .auth(user.token, bearer)
      .send({ name: 'bot', scopes: ['trade', 'read', 'trade'] });
    expect(created.status).toBe(201);
    const { key, prefix } = created.body as { key: string; prefix: string };
    expect(created.body).toEqual({ key, prefix, name: 'bot', scopes: ['trade', 'read'] });
    expect(key).toMatch(/^svc_sk_live_[0-9A-Za-z]{42,}$/);
    expect(prefix).toBe(key.slice(0, 16));
    const listed = await request(app.url).get('/account/api-keys').auth(user.token, bearer);
    expect(listed.body).toEqual({
      keys: [
        {
          prefix,
          name: 'bot',
          scopes: ['trade', 'read'],
          created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
          last_used_at: null,
        },
      ],
    });
  });

  it('S-29 makes 20 keys a day for a user, then says when it goes on; revoking is never limited', async () => {
    const user = await aUser(app);
    const create = (): request.Test => request(app.url).post('/account/api-keys').auth(user.token, bearer);
    const revoke = (prefix: string): request.Test =>
      request(app.url).delete(`/account/api-keys/${prefix}`).auth(user.token, bearer);
    for (let made = 0; made < 20; made++) {
      const { prefix } = (await create().expect(201)).body as { prefix: string };
      if (made === 9) await create().expect(409);
      await revoke(prefix).expect(200);
    }
    await create().expect(429);
    const refused = await create();
    expect([refused.status, refused.body]).toMatchObject([429, { error: { code: 'rate_limited' } }]);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(86_000);
    const hits = `SELECT 1 FROM security_events WHERE user_id = $1 AND type = 'limit_hit'`;
    expect(await app.query(hits, [user.id])).toHaveLength(1);
    await anApiKey(app, await aUser(app));
    await app.query(`UPDATE rate_limits SET expire = 1 WHERE key LIKE 'api-keys:day:%'`);
    await create().expect(201);
  });

  it('uses the name "default" and the scope read where they are left out', async () => {
    const user = await aUser(app);
    const created = await request(app.url).post('/account/api-keys').auth(user.token, bearer).send({});
    expect(created.body).toMatchObject({ name: 'default', scopes: ['read'] });
  });

  it.each([
    ['scopes', { scopes: [] }],
    ['scopes', { scopes: 'read' }],
    ['scopes', { scopes: ['read', 'root'] }],
    ['scopes', { scopes: null }],
    ['name', { name: '' }],
    ['name', { name: 'x'.repeat(65) }],
    ['name', { name: `x${'\ufe0f'.repeat(2_000)}` }],
    ['name', { name: `e${'\u0301'.repeat(64)}` }],
    ['name', { name: 'a\u202eb' }],
    ['name', { name: 7 }],
    ['name', { name: null }],
    ['key', { key: 'svc_sk_live_mine' }],
    ['user_id', { user_id: 'usr_other' }],
  ])('S-31, S-33 refuses a wrong %s with 400 and stores nothing: %j', async (field, body) => {
    const created = await request(app.url).post('/account/api-keys').auth(keyless.token, bearer).send(body);
    expect(created.status).toBe(400);
    expect(created.body).toMatchObject({ error: { code: 'bad_request', details: { fields: [{ field }] } } });
    const listed = await request(app.url).get('/account/api-keys').auth(keyless.token, bearer);
    expect(listed.body).toEqual({ keys: [] });
  });

  it('S-29 of 20 creations at once over two instances one is 201, nineteen are 409 api_key_exists, one row is stored', async () => {
    const other = await startInstance(app);
    const codeOf = (body: unknown): string => (body as { error?: { code: string } }).error?.code ?? 'created';
    for (let round = 0; round < 5; round += 1) {
      const user = await aUser(app);
      const calls = Array.from({ length: 20 }, (_, index) =>
        request((index % 2 === 0 ? app : other).url)
          .post('/account/api-keys')
          .auth(user.token, bearer)
          .send({}),
      );
      const codes = (await Promise.all(calls)).map(({ body }) => codeOf(body)).sort();
      expect(codes).toEqual([...Array.from({ length: 19 }, () => 'api_key_exists'), 'created']);
      expect(await app.query(`SELECT 1 FROM api_keys WHERE user_id = '${user.id}'`)).toHaveLength(1);
    }
    await other.close();
  });

  it('answers GET /me with what a program must know before it trades', async () => {
    const user = await aUser(app);
    const key = await anApiKey(app, user, ['admin']);
    const expected = {
      user_id: user.id,
      key_prefix: key.slice(0, 16),
      scopes: ['admin'],
      mode: 'sandbox',
      exchanges: EXCHANGES.map((id) => ({ id, configured: false, session_key_valid_until: null })),
      limits: null,
      bot: null,
    };
    const me = async (): Promise<unknown> => {
      const answer = await request(app.url).get('/me').auth(key, bearer);
      return [answer.status, answer.body];
    };
    expect(await me()).toEqual([200, expected]);
    await storeCredentials(app, user, 'polymarket', WALLET);
    const withPolymarket = (change: object): object => ({
      ...expected,
      exchanges: expected.exchanges.map((one) => (one.id === 'polymarket' ? { ...one, ...change } : one)),
    });
    expect(await me()).toEqual([200, withPolymarket({ configured: true })]);
    const until = '2027-05-20T12:00:00.000Z';
    await app.query(
      `INSERT INTO session_keys (user_id, exchange, state, row_version, key_id, fields, address, wallet_address,
                                 valid_until, created_at, activated_at)
       SELECT user_id, exchange, 'active', row_version + 1, key_id, fields, '0x1', '0x2', $2, now(), now()
         FROM exchange_credentials WHERE user_id = $1`,
      [user.id, until],
    );
    expect(await me()).toEqual([200, withPolymarket({ configured: true, session_key_valid_until: until })]);
  });

  it('S-30 a revoked key stops at once with 401 key_revoked, and a new one may be made', async () => {
    const user = await aUser(app);
    const key = await anApiKey(app, user);
    const prefix = key.slice(0, 16);
    const revoked = await request(app.url).delete(`/account/api-keys/${prefix}`).auth(user.token, bearer);
    expect(revoked.status).toBe(200);
    expect(revoked.body).toEqual({ message: expect.any(String), prefix, revoked_at: expect.any(String) });
    const me = await request(app.url).get('/me').auth(key, bearer);
    expect(me.status).toBe(401);
    expect(me.body).toMatchObject({ error: { code: 'unauthorized', details: { reason: 'key_revoked' } } });
    const again = await request(app.url).delete(`/account/api-keys/${prefix}`).auth(user.token, bearer);
    expect(again.status).toBe(404);
    expect((await request(app.url).post('/account/api-keys').auth(user.token, bearer).send({})).status).toBe(201);
  });

  it('S-29 takes no prefix but exactly its own: any other is 404, and the key stays alive', async () => {
    const user = await aUser(app);
    const key = await anApiKey(app, user);
    const foreign = (await anApiKey(app, await aUser(app))).slice(0, 16);
    const prefix = key.slice(0, 16);
    const others = [
      foreign,
      key.slice(0, 15),
      key.slice(0, 17),
      key,
      `${key.slice(0, 15)}_`,
      'svc_sk_live_',
      '%',
      '____',
    ];
    const swapped =
      prefix.slice(0, 12) +
      prefix
        .slice(12)
        .replaceAll(/[a-z]/gi, (letter) =>
          letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
        );
    for (const other of [...others, ...(swapped === prefix ? [] : [swapped])]) {
      const answer = await request(app.url)
        .delete(`/account/api-keys/${encodeURIComponent(other)}`)
        .auth(user.token, bearer);
      expect([other.slice(0, 17), answer.status]).toEqual([other.slice(0, 17), 404]);
    }
    expect((await request(app.url).get('/me').auth(key, bearer)).status).toBe(200);
  });

  it('S-32 another user’s key is 404 and stays alive', async () => {
    const [owner, other] = [await aUser(app), await aUser(app)];
    const key = await anApiKey(app, owner);
    const answer = await request(app.url)
      .delete(`/account/api-keys/${key.slice(0, 16)}`)
      .auth(other.token, bearer);
    expect(answer.status).toBe(404);
    expect((await request(app.url).get('/me').auth(key, bearer)).status).toBe(200);
  });

  it.each([
    ['missing', undefined],
    ['invalid', 'Bearer svc_sk_live_nonsense'],
    ['invalid', 'Bearer nonsense'],
    ['invalid', 'Basic dXNlcjpwYXNz'],
    ['wrong_token_type', 'Bearer eyJhbGciOiJub25lIn0.e30.'],
  ])('S-18 refuses a credential that is %s with 401', async (reason, authorization) => {
    const call = request(app.url).get('/me');
    const answer = await (authorization === undefined ? call : call.set('Authorization', authorization));
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
    expect(answer.body).toMatchObject({ error: { code: 'unauthorized', retryable: false, details: { reason } } });
  });

  it('S-28 stores the SHA-256 of the key and never the key', async () => {
    const user = await aUser(app);
    const key = await anApiKey(app, user);
    const rows = await app.query(`SELECT hash, t::text AS row FROM api_keys t WHERE user_id = '${user.id}'`);
    expect(rows[0]?.hash).toEqual(sha256(key));
    expect(String(rows[0]?.row)).not.toContain(key.slice(16));
    expect(app.logLines.join('')).not.toContain(key.slice(16));
  });

  it('S-27 refuses a key with a wrong checksum without a look into the database', async () => {
    const key = await anApiKey(app, await aUser(app));
    const wrong = key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a');
    const statuses: number[] = [];
    await app.query('ALTER TABLE api_keys RENAME TO away');
    for (const shown of [wrong, 'svc_sk_live_nonsense', key]) {
      statuses.push((await request(app.url).get('/me').auth(shown, bearer)).status);
    }
    await app.query('ALTER TABLE away RENAME TO api_keys');
    expect(statuses).toEqual([401, 401, 500]);
  });

  it('R-22 remembers a revoked key for 90 days', async () => {
    const { Retention } = await import('../src/platform/retention/retention.js');
    const user = await aUser(app);
    const key = await anApiKey(app, user);
    await request(app.url)
      .delete(`/account/api-keys/${key.slice(0, 16)}`)
      .auth(user.token, bearer)
      .expect(200);
    const reasonAfter = async (days: number): Promise<unknown> => {
      await app.query(`UPDATE api_keys SET revoked_at = now() - make_interval(days => $2) WHERE user_id = $1`, [
        user.id,
        days,
      ]);
      await app.get(Retention).run();
      const answer = await request(app.url).get('/me').auth(key, bearer);
      return (answer.body as { error: { details: { reason: string } } }).error.details.reason;
    };
    expect(await reasonAfter(89)).toBe('key_revoked');
    expect(await reasonAfter(91)).toBe('invalid');
  });

  it('R-20 writes last_used_at in batches, not on the request path', async () => {
    const { ApiKeyUsage } = await import('../src/api-keys/api-key-usage.js');
    const user = await aUser(app);
    const key = await anApiKey(app, user);
    const before = Date.now();
    await request(app.url).get('/me').auth(key, bearer);
    await app.get(ApiKeyUsage).flush();
    const listed = await request(app.url).get('/account/api-keys').auth(user.token, bearer);
    const { keys } = listed.body as { keys: { last_used_at: string }[] };
    expect(Date.parse(keys[0]?.last_used_at ?? '')).toBeGreaterThanOrEqual(before - 1);
  });
});

describe('API keys over two instances with a cache (contract.md 6, S-30)', () => {
  it('S-30 no instance accepts a key after its DELETE has answered', async () => {
    const first = await startTestApp({ API_KEY_CACHE_TTL: '1s' });
    const second = await startInstance(first, { API_KEY_CACHE_TTL: '1s' });
    try {
      const user = await aUser(first);
      const key = await anApiKey(first, user);
      const stop = Date.now() + 4_000;
      let deletedAt = Infinity;
      const late: number[] = [];
      const hammer = async (app: Pick<TestApp, 'url'>): Promise<void> => {
        while (Date.now() < stop) {
          const startedAt = Date.now();
          const { status } = await request(app.url).get('/me').auth(key, { type: 'bearer' });
          if (startedAt > deletedAt && status !== 401) late.push(startedAt - deletedAt);
        }
      };
      const runs = [hammer(first), hammer(second), hammer(second)];
      await delay(500);
      await request(first.url)
        .delete(`/account/api-keys/${key.slice(0, 16)}`)
        .auth(user.token, { type: 'bearer' });
      deletedAt = Date.now();
      await Promise.all(runs);
      expect(late).toEqual([]);
      expect(deletedAt).toBeLessThan(stop);
    } finally {
      await second.close();
      await first.close();
    }
  });
});

describe('instances that differ in API_KEY_CACHE_TTL (contract.md 6, S-30)', () => {
  describe('one of which remembers for longer', () => {
    let owner: TestApp;
    let slow: Instance;

    beforeAll(async () => {
      owner = await startTestApp({ API_KEY_CACHE_TTL: '0' });
      slow = await startInstance(owner, { API_KEY_CACHE_TTL: '2s' });
    });

    afterAll(async () => {
      await slow.close();
      await owner.close();
    });

    it.each(['0', '100ms'])('S-30 one with %s revokes only when one with 2s has forgotten the key', async (own) => {
      const first = await startTestApp({ API_KEY_CACHE_TTL: own, DATA_DIR: owner.dataDir }, owner.database);
      try {
        const user = await aUser({ url: first.url, dataDir: owner.dataDir });
        const key = await anApiKey(first, user);
        const me = (app: Pick<TestApp, 'url'>): request.Test =>
          request(app.url).get('/me').auth(key, { type: 'bearer' });
        expect((await me(slow)).status).toBe(200);
        await request(first.url)
          .delete(`/account/api-keys/${key.slice(0, 16)}`)
          .auth(user.token, { type: 'bearer' })
          .expect(200);
        expect((await me(slow)).status).toBe(401);
      } finally {
        await first.close();
      }
    });
  });

  it('S-30 is waited for only while it runs, and a killed one until its record lapses', async () => {
    const app = await startTestApp({ API_KEY_CACHE_TTL: '0' });
    const kept = async (): Promise<unknown[]> =>
      (await app.query('SELECT ttl_ms FROM api_key_caches')).map(({ ttl_ms }) => ttl_ms);
    const cache = app.get(ApiKeyCache);
    const waitedMs = async (): Promise<number> => {
      const startedAt = performance.now();
      await cache.waitForKeyCacheExpiry();
      return performance.now() - startedAt;
    };
    try {
      expect(await kept()).toEqual([]);
      const ordinary = await startInstance(app, { API_KEY_CACHE_TTL: '5s' });
      expect(await kept()).toEqual([5_000]);
      await ordinary.close();
      expect(await kept()).toEqual([]);
      expect(await waitedMs()).toBeLessThan(4_000);
      const killed = await startInstance(app, { API_KEY_CACHE_TTL: '2s' });
      await killed.kill();
      expect(await waitedMs()).toBeGreaterThan(2_000);
      await app.query(`UPDATE api_key_caches SET ttl_ms = 60000, lapses_at = now()`);
      expect(await waitedMs()).toBeLessThan(20_000);
    } finally {
      await app.close();
    }
  });

  it('S-30 keeps nothing while others cannot know of it', async () => {
    const app = await startTestApp({ API_KEY_CACHE_TTL: '5s' });
    try {
      const user = await aUser(app);
      const key = await anApiKey(app, user);
      const me = (): request.Test => request(app.url).get('/me').auth(key, { type: 'bearer' });
      await app.get(ApiKeyCacheLease).onApplicationShutdown();
      expect((await me()).status).toBe(200);
      await app.query('UPDATE api_keys SET revoked_at = now()');
      expect((await me()).status).toBe(401);
    } finally {
      await app.close();
    }
  });
});

describe('API keys in their owner’s activity (S-41)', () => {
  it('S-41 keeps creation, refusal for the scope and revocation, with prefix and without the key', async () => {
    const app = await startTestApp();
    try {
      const user = await aUser(app);
      const key = await anApiKey(app, user, ['read']);
      await request(app.url).get('/kalshi/balance').auth(key, { type: 'bearer' }).expect(403);
      await request(app.url)
        .delete(`/account/api-keys/${key.slice(0, 16)}`)
        .auth(user.token, { type: 'bearer' })
        .expect(200);
      const activity = await request(app.url).get('/account/activity').auth(user.token, { type: 'bearer' });
      const { data } = activity.body as { data: { type: string; key_prefix: string | null }[] };
      const ofKey = data.filter(({ key_prefix }) => key_prefix === key.slice(0, 16)).map(({ type }) => type);
      expect(ofKey).toEqual(['api_key_revoked', 'scope_refused', 'api_key_created']);
      expect(activity.text).not.toContain(key.slice(16));
    } finally {
      await app.close();
    }
  });
});

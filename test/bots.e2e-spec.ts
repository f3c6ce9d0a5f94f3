import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { Retention } from '../src/platform/retention/retention.js';
import { startTestApp, type TestApp } from './support/app.js';
import { aBot, BOTS, outcome, type ShownBot } from './support/bots.js';
import { codeOf, detailsOf, get, patch, post, remove } from './support/calls.js';
import { startInstance } from './support/instance.js';
import { dump } from './support/rows.js';
import { anApiKey, aUser, type TestUser } from './support/users.js';

const NO_LIMITS = {
  max_order_risk: null,
  max_open_risk: null,
  max_daily_risk: null,
  max_total_risk: null,
  max_position: null,
  max_open_orders: null,
  max_orders_per_minute: null,
  max_requests_per_minute: null,
  max_price_distance: null,
  max_order_seconds: null,
};

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();

describe('bots (contract.md 5.11)', () => {
  let app: TestApp;
  let user: TestUser;

  beforeAll(async () => {
    app = await startTestApp();
    user = await aUser(app);
  });

  afterAll(() => app.close());

  const create = (body: object, { token } = user): Promise<Response> => post(app, BOTS, body, token).then((a) => a);
  const read = async (id: string, { token } = user): Promise<ShownBot> =>
    (await get(app, `${BOTS}/${id}`, token).expect(200)).body as ShownBot;
  const change = (id: string, body: object): Promise<Response> =>
    patch(app, `${BOTS}/${id}`, user.token, body).then((a) => a);
  const fieldOf = (answer: Response): unknown =>
    (detailsOf(answer).fields as { field: string }[] | undefined)?.[0]?.field;

  it('S-28 makes a bot with 201, shows its key once, and stores only the hash of it', async () => {
    const answer = await create({ name: '  first  ' });
    expect(answer.status).toBe(201);
    const { bot, key } = answer.body as { bot: ShownBot; key: string };
    expect(key).toMatch(/^svc_sk_live_[0-9A-Za-z]{42}$/);
    expect(bot).toEqual({
      id: expect.stringMatching(/^bot_[0-9A-HJKMNP-TV-Z]{26}$/),
      name: 'first',
      scopes: ['read'],
      exchanges: null,
      markets: null,
      limits: NO_LIMITS,
      allowed_networks: null,
      expires_at: null,
      state: 'active',
      halted: null,
      keys: [{ prefix: key.slice(0, 16), created_at: expect.any(String), last_used_at: null, valid_until: null }],
      heartbeat: null,
      usage: {
        open_risk: {},
        daily_risk: {},
        total_risk: {},
        open_orders: 0,
        orders_last_minute: 0,
        unsettled_orders: 0,
        as_of: expect.any(String),
      },
      created_at: expect.any(String),
    });
    expect(await read(bot.id)).toEqual({ ...bot, usage: expect.any(Object) });
    expect(await dump(app)).not.toContain(key);
  });

  const TERMS = {
    scopes: ['read', 'trade', 'read'],
    exchanges: ['kalshi', 'kalshi'],
    markets: [
      { exchange: 'kalshi', series_id: 'KXHIGHNY' },
      { exchange: 'polymarket', market_id: `0x${'AB'.repeat(32)}` },
      { exchange: 'polymarket', market_id: `0x${'ab'.repeat(32)}` },
    ],
    limits: { max_order_risk: '10.50', max_open_orders: 5, max_price_distance: '0.05', max_order_seconds: null },
    allowed_networks: ['127.0.0.1', '::1', '127.0.0.1'],
    expires_at: inDays(30),
  };

  it('keeps all terms, each once and in canonical form', async () => {
    const answer = await create({ name: 'with terms', ...TERMS });
    expect([answer.status, answer.body]).toMatchObject([
      201,
      {
        bot: {
          scopes: ['read', 'trade'],
          exchanges: ['kalshi'],
          markets: [TERMS.markets[0], TERMS.markets[2]],
          limits: { ...NO_LIMITS, max_order_risk: '10.5', max_open_orders: 5, max_price_distance: '0.05' },
          allowed_networks: ['127.0.0.1', '::1'],
          expires_at: TERMS.expires_at,
        },
      },
    ]);
  });

  const LIMIT = (name: string, ...values: unknown[]) =>
    values.map((value) => [`limits.${name}`, { limits: { [name]: value } }] as const);
  const KALSHI = { exchange: 'kalshi', market_id: 'KXHIGHNY-26NOV20-B55.5' };

  it.each([
    ['name', { name: ' ' }],
    ['name', { name: null }],
    ['name', { name: 'x'.repeat(65) }],
    ['name', { name: 7 }],
    ['name', { name: 'a\u0007b' }],
    ['colour', { colour: 'red' }],
    ['scopes', { scopes: [] }],
    ['scopes', { scopes: ['admin'] }],
    ['scopes', { scopes: null }],
    ['scopes', { scopes: 'read' }],
    ['exchanges', { exchanges: [] }],
    ['exchanges', { exchanges: ['nowhere'] }],
    ['exchanges', { exchanges: 'kalshi' }],
    ['markets', { markets: [] }],
    ['markets', { markets: KALSHI }],
    ['markets.0', { markets: ['KX1'] }],
    ['markets', { markets: Array.from({ length: 101 }, () => KALSHI) }],
    ['markets.0.exchange', { markets: [{ ...KALSHI, exchange: 'nowhere' }] }],
    ['markets.1', { markets: [KALSHI, { exchange: 'kalshi' }] }],
    ['markets.0', { markets: [{ ...KALSHI, series_id: 'KX1' }] }],
    ['markets.0', { markets: [[]] }],
    ['markets.0.market_id', { markets: [{ ...KALSHI, market_id: 'no id' }] }],
    ['markets.0.series_id', { markets: [{ exchange: 'polymarket', series_id: 'word' }] }],
    ['markets.0.colour', { markets: [{ ...KALSHI, colour: 'red' }] }],
    ['limits', { limits: [] }],
    ['limits', { limits: 'none' }],
    ['limits.max_colour', { limits: { max_colour: 1 } }],
    ...LIMIT('max_order_risk', 10, '0', '-1', '1.0000001', '1e3', '', 'x', {}),
    ...LIMIT('max_open_risk', 0, '0.0'),
    ...LIMIT('max_daily_risk', true),
    ...LIMIT('max_total_risk', ['1']),
    ...LIMIT('max_position', '-0.5'),
    ...LIMIT('max_price_distance', '1', '0', 0.5, '0.0000001'),
    ...LIMIT('max_open_orders', '5', 0, 1.5, -1),
    ...LIMIT('max_orders_per_minute', 0, 6_001, '60'),
    ...LIMIT('max_requests_per_minute', 0, '60'),
    ...LIMIT('max_order_seconds', 299, 2_592_001, '300'),
    ['allowed_networks', { allowed_networks: [] }],
    ['allowed_networks', { allowed_networks: ['localhost'] }],
    ['allowed_networks', { allowed_networks: [7] }],
    ['allowed_networks', { allowed_networks: Array.from({ length: 21 }, (_, index) => `10.0.0.${index}`) }],
    ['expires_at', { expires_at: 'tomorrow' }],
    ['expires_at', { expires_at: inDays(-1) }],
    ['expires_at', { expires_at: Date.now() + 86_400_000 }],
  ])('S-33 refuses a wrong %s with 400 that names the field: %j', async (field, body) => {
    const count = (await app.query('SELECT id FROM bots')).length;
    const created = await create({ name: 'wrong', ...body });
    expect([created.status, codeOf(created), fieldOf(created)]).toEqual([400, 'bad_request', field]);
    expect(await app.query('SELECT id FROM bots')).toHaveLength(count);
  });

  it('a PATCH merges: what is left out stays, null is none, also for members of limits', async () => {
    const { id } = await aBot(app, user, TERMS);
    const before = await read(id);
    expect((await change(id, {})).body).toEqual({ ...before, usage: expect.any(Object) });
    const limits = { max_open_orders: null, max_order_seconds: 600, max_order_risk: '9' };
    expect((await change(id, { limits })).body).toMatchObject({
      name: before.name,
      exchanges: ['kalshi'],
      limits: { ...NO_LIMITS, max_order_risk: '9', max_price_distance: '0.05', max_order_seconds: 600 },
    });
    const none = { exchanges: null, markets: null, limits: null, allowed_networks: null, expires_at: null };
    expect((await change(id, { ...none, name: ' renamed ' })).body).toMatchObject({
      ...none,
      name: 'renamed',
      scopes: ['read', 'trade'],
      limits: NO_LIMITS,
    });
    for (const [field, body] of [
      ['limits.max_order_risk', { limits: { max_order_risk: 5 } }],
      ['scopes', { scopes: null }],
      ['name', { name: null }],
      ['expires_at', { expires_at: inDays(-1) }],
      ['markets.0', { markets: [{ exchange: 'kalshi' }] }],
    ] as const) {
      expect([fieldOf(await change(id, body)), (await read(id)).name]).toEqual([field, 'renamed']);
    }
  });

  it('names are one among the living bots of a user, without case: 409 bot_name_taken', async () => {
    const { id } = await aBot(app, user, { name: 'Größe' });
    expect(outcome(await create({ name: ' GRÖSSE' }))).toEqual([201]);
    expect(outcome(await create({ name: 'grÖße ' }))).toEqual([409, 'bot_name_taken', undefined]);
    const { id: second } = await aBot(app, user);
    expect(outcome(await change(second, { name: 'größE' }))).toEqual([409, 'bot_name_taken', undefined]);
    expect(outcome(await change(id, { name: 'GRÖßE' }))).toEqual([200]);
    expect(outcome(await create({ name: 'größe' }, await aUser(app)))).toEqual([201]);
    await remove(app, `${BOTS}/${id}`, user.token).expect(200);
    expect(outcome(await create({ name: 'größe' }))).toEqual([201]);
  });

  it('of 20 creations of one name at once over two instances one is made', async () => {
    const other = await startInstance(app);
    const someone = await aUser(app);
    const calls = Array.from({ length: 20 }, (_, index) =>
      post(index % 2 === 0 ? app : other, BOTS, { name: 'one' }, someone.token),
    );
    const statuses = (await Promise.all(calls)).map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
    await other.close();
  });

  it('S-29 a user has 50 bots that live and makes 100 a day; the main key is none of them', async () => {
    const someone = await aUser(app);
    await anApiKey(app, someone);
    for (let count = 0; count < 50; count += 1) await aBot(app, someone);
    expect(outcome(await create({ name: 'one more' }, someone))).toEqual([409, 'bot_limit_reached', undefined]);
    const { bots } = (await get(app, BOTS, someone.token)).body as { bots: ShownBot[] };
    expect(bots).toHaveLength(50);
    await app.query('UPDATE bots SET removed_at = now(), halted_at = now(), halt_reason = $2 WHERE user_id = $1', [
      someone.id,
      'owner',
    ]);
    for (let count = 0; count < 50; count += 1) await aBot(app, someone);
    await app.query('DELETE FROM bots WHERE user_id = $1', [someone.id]);
    const refused = await create({ name: 'too many' }, someone);
    expect(outcome(refused)).toEqual([429, 'rate_limited', undefined]);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(86_000);
    await app.query(`UPDATE rate_limits SET expire = 1 WHERE key LIKE 'bots:day%'`);
    expect(outcome(await create({ name: 'too many' }, someone))).toEqual([201]);
    const key = await app.query('SELECT 1 FROM api_keys WHERE user_id = $1 AND revoked_at IS NULL', [someone.id]);
    expect(key).toHaveLength(1);
  });

  it('S-32 another user’s bot is 404 to everything, and stays as it is', async () => {
    const { id } = await aBot(app, user);
    const other = await aUser(app);
    const path = `${BOTS}/${id}`;
    const { token } = other;
    const calls = [
      get(app, path, token),
      patch(app, path, token, { name: 'mine' }),
      post(app, `${path}/rotate`, {}, token),
      post(app, `${path}/halt`, undefined, token),
      post(app, `${path}/resume`, undefined, token),
      remove(app, path, token),
    ];
    for (const call of calls) expect(outcome(await call)).toEqual([404, 'not_found', undefined]);
    expect((await get(app, BOTS, token)).body).toEqual({ bots: [] });
    expect((await post(app, `${BOTS}/halt`, undefined, token)).body).toEqual({ bots: [] });
    expect((await read(id)).state).toBe('active');
  });

  it('halts, says by whom and why, and resumes; either twice is 200', async () => {
    const { id } = await aBot(app, user);
    const halt = (): Promise<Response> => post(app, `${BOTS}/${id}/halt`, undefined, user.token).then((a) => a);
    const resume = (): Promise<Response> => post(app, `${BOTS}/${id}/resume`, undefined, user.token).then((a) => a);
    const first = await halt();
    const { halted_at: at } = first.body as { halted_at: string };
    const report = { bot_id: id, halted_at: at, reason: 'owner', exchanges: [], complete: true, removed: false };
    expect([first.status, first.body]).toEqual([200, report]);
    expect((await halt()).body).toEqual(report);
    const by = String((await app.query('SELECT id FROM sessions WHERE user_id = $1', [user.id]))[0]?.id);
    expect(await read(id)).toMatchObject({ state: 'halted', halted: { at, reason: 'owner', by } });
    for (let count = 0; count < 2; count += 1) {
      const resumed = await resume();
      expect([resumed.status, resumed.body]).toMatchObject([200, { id, state: 'active', halted: null }]);
    }
  });

  it('halts all that live at once, by the session and by the main key with admin; keeps earlier reasons', async () => {
    const someone = await aUser(app);
    const admin = await anApiKey(app, someone, ['admin']);
    const [first, second] = [await aBot(app, someone), await aBot(app, someone)];
    const gone = await aBot(app, someone);
    await remove(app, `${BOTS}/${gone.id}`, someone.token).expect(200);
    await post(app, `${BOTS}/${first.id}/halt`, undefined, someone.token).expect(200);
    const reasons = (answer: Response): unknown =>
      (answer.body as { bots: { bot_id: string; reason: string }[] }).bots.map(({ bot_id, reason }) => [
        bot_id,
        reason,
      ]);
    const byKey = await post(app, '/bots/halt', undefined, admin);
    const expected = [
      [first.id, 'owner'],
      [second.id, 'all_bots'],
    ];
    expect([byKey.status, reasons(byKey)]).toEqual([200, expected]);
    expect(reasons(await post(app, `${BOTS}/halt`, undefined, someone.token))).toEqual(expected);
    expect(await read(second.id, someone)).toMatchObject({ halted: { reason: 'all_bots', by: admin.slice(0, 16) } });
    expect(outcome(await post(app, '/bots/halt', undefined, first.key))).toEqual([403, 'forbidden', undefined]);
    expect(outcome(await post(app, '/bots/halt', undefined, someone.token))).toEqual([
      403,
      'forbidden',
      'api_key_required',
    ]);
  });

  it('a bot sees and halts itself, and nobody else does so with its routes', async () => {
    const { id, key } = await aBot(app, user, { scopes: ['read'] });
    expect((await get(app, '/bot', key).expect(200)).body).toMatchObject({ id, state: 'active', usage: {} });
    expect((await get(app, '/me', key)).body).toMatchObject({ bot: { id, state: 'active', heartbeat: null } });
    const report = await post(app, '/bot/halt', undefined, key);
    expect([report.status, report.body]).toMatchObject([200, { bot_id: id, reason: 'bot', removed: false }]);
    expect(await read(id)).toMatchObject({ state: 'halted', halted: { reason: 'bot', by: key.slice(0, 16) } });
    expect((await get(app, '/me', key)).body).toMatchObject({ bot: { id, state: 'halted' } });
    const main = await anApiKey(app, user);
    for (const call of [get(app, '/bot', main), post(app, '/bot/halt', undefined, main)]) {
      expect(outcome(await call)).toEqual([403, 'forbidden', 'bot_key_required']);
    }
    expect((await get(app, '/me', main)).body).toMatchObject({ bot: null });
  });

  it('a removed bot answers GET, DELETE and halt for 90 days, and 404 to everything else', async () => {
    const { id } = await aBot(app, user);
    const path = `${BOTS}/${id}`;
    const removed = await remove(app, path, user.token);
    const report = { bot_id: id, reason: 'owner', complete: true, removed: true };
    expect([removed.status, removed.body]).toMatchObject([200, report]);
    expect((await remove(app, path, user.token)).body).toEqual(removed.body);
    expect((await post(app, `${path}/halt`, undefined, user.token)).body).toEqual(removed.body);
    expect(await read(id)).toMatchObject({ state: 'removed', keys: [] });
    const { bots } = (await get(app, BOTS, user.token)).body as { bots: ShownBot[] };
    expect(bots.find((bot) => bot.id === id)?.state).toBe('removed');
    for (const call of [
      patch(app, path, user.token, { name: 'again' }),
      post(app, `${path}/rotate`, {}, user.token),
      post(app, `${path}/resume`, undefined, user.token),
    ]) {
      expect(outcome(await call)).toEqual([404, 'not_found', undefined]);
    }
    await app.query(`UPDATE bots SET removed_at = now() - interval '91 days' WHERE id = $1`, [id]);
    for (const call of [get(app, path, user.token), remove(app, path, user.token)])
      expect((await call).status).toBe(404);
    await app.get(Retention).run();
    expect(await app.query('SELECT 1 FROM bots WHERE id = $1', [id])).toEqual([]);
    expect(await app.query('SELECT 1 FROM bot_keys WHERE bot_id = $1', [id])).toEqual([]);
  });

  it('R-22 keeps the 200 of a user that were removed last', async () => {
    const someone = await aUser(app);
    const { id } = await aBot(app, someone);
    await app.query(
      `INSERT INTO bots (id, user_id, name, scopes, removed_at, halted_at, halt_reason, halt_complete_at)
       SELECT 'bot_old' || n, $1, 'old', '{read}', now() - n * interval '1 hour', now(), 'owner', now() FROM generate_series(1, 200) n`,
      [someone.id],
    );
    await remove(app, `${BOTS}/${id}`, someone.token).expect(200);
    const { bots } = (await get(app, BOTS, someone.token)).body as { bots: ShownBot[] };
    expect(bots).toHaveLength(200);
    expect(await app.query(`SELECT 1 FROM bots WHERE id IN ('bot_old199', 'bot_old200')`)).toHaveLength(1);
  });
});

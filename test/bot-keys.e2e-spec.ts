import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { botNamed } from '../src/access/principal.js';
import { ActivityService } from '../src/activity/activity.service.js';
import { ApiKeyUsage } from '../src/api-keys/api-key-usage.js';
import { OrderJournal } from '../src/proxy/orders/order-journal.js';
import { LedgerReads } from '../src/proxy/placing/ledger-reads.repository.js';
import type { TestApp } from './support/app.js';
import { aBot, BOTS, outcome, type ShownBot } from './support/bots.js';
import { get, patch, post, remove } from './support/calls.js';
import { startInstance } from './support/instance.js';
import { LANES } from './support/lane-stand.js';
import { waitForMail } from './support/mail.js';
import { aTrader, startTestStand, type TestStand } from './support/sandbox.js';
import { usersAdmin } from './support/users-admin.js';
import { anApiKey, aUser, type TestUser } from './support/users.js';

const REVOKED = [401, 'unauthorized', 'key_revoked'];
const EXPIRED = [401, 'unauthorized', 'key_expired'];
const UNCONFIRMED = [403, 'forbidden', 'confirmation_required'];
const ELSEWHERE = [403, 'forbidden', 'address_not_allowed'];
const TAKEN = [403, 'forbidden', 'exchange_not_allowed'];
const TTL_MS = 1_000;
/** Far more often than a key is read anew. */
const ASKED_EVERY_MS = 25;
/** The service halts a bot whose end has come within 10 s; a busy machine does so later. */
const HALTED_MS = 40_000;

const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();

describe.each(LANES)('keys of bots (contract.md 5.11), with FAST_LANE=%s', (FAST_LANE) => {
  let stand: TestStand;
  let app: TestApp;
  let user: TestUser;

  beforeAll(async () => {
    stand = await startTestStand({
      FAST_LANE,
      TRUST_PROXY: '1',
      API_KEY_CACHE_TTL: `${TTL_MS}ms`,
      MARKET_DATA_CACHE_TTL: '2s',
    });
    ({ app } = stand);
    user = await aUser(app);
  });

  afterAll(() => stand.close());

  const me = async (key: string): Promise<unknown[]> => outcome(await get(app, '/me', key));
  /** Uses a key up to its end, which all answers that come before it obey; ends just after it. */
  const useUntil = async (end: number, key: string): Promise<void> => {
    while (Date.now() < end - 100) {
      const answer = await me(key);
      if (Date.now() < end) expect(answer).toEqual([200]);
      await delay(ASKED_EVERY_MS);
    }
    await delay(end + 50 - Date.now());
  };
  const from = (key: string, address: string, path = '/me'): request.Test =>
    get(app, path, key).set('X-Forwarded-For', address);
  const rotate = async (id: string, seconds?: number): Promise<{ key: string; previous_valid_until: string | null }> =>
    (await post(app, `${BOTS}/${id}/rotate`, { overlap_seconds: seconds }, user.token).expect(200)).body as never;
  const read = async (id: string): Promise<ShownBot> =>
    (await get(app, `${BOTS}/${id}`, user.token).expect(200)).body as ShownBot;

  it('/me says at once what became of a bot and its heartbeat, whatever was answered before', async () => {
    const { id, key } = await aBot(app, user);
    const shown = async (): Promise<unknown> => ((await get(app, '/me', key).expect(200)).body as { bot: unknown }).bot;
    for (let count = 0; count < 3; count += 1)
      expect(await shown()).toMatchObject({ state: 'active', heartbeat: null });
    await request(app.url).put('/bot/heartbeat').auth(key, { type: 'bearer' }).send({ ttl_seconds: 60 }).expect(200);
    for (let count = 0; count < 3; count += 1)
      expect(await shown()).toMatchObject({ heartbeat: { ttl_seconds: 60, expires_at: expect.any(String) } });
    await app.query(`UPDATE bots SET halted_at = now(), halt_reason = 'owner' WHERE id = $1`, [id]);
    expect(await shown()).toMatchObject({ state: 'halted', heartbeat: { expires_at: null } });
  });

  it('S-30 DELETE answers when no instance accepts a key of the bot any more, its earlier one neither', async () => {
    const other = await startInstance(app, { API_KEY_CACHE_TTL: `${TTL_MS}ms` });
    const { id, key } = await aBot(app, user);
    const { key: newer } = await rotate(id, 600);
    for (const one of [key, newer]) {
      expect(await me(one)).toEqual([200]);
      expect(outcome(await get(other, '/me', one))).toEqual([200]);
    }
    await remove(app, `${BOTS}/${id}`, user.token).expect(200);
    for (const one of [key, newer]) {
      expect(await me(one)).toEqual(REVOKED);
      expect(outcome(await get(other, '/me', one))).toEqual(REVOKED);
    }
    await other.close();
  });

  it('a rotated key ends at once, or after the overlap by the clock of the database, also where it is cached', async () => {
    const { id, key } = await aBot(app, user);
    const second = await rotate(id);
    expect([await me(key), await me(second.key)]).toEqual([REVOKED, [200]]);
    expect(second.previous_valid_until).not.toBeNull();
    const third = await rotate(id, 3);
    const until = Date.parse(third.previous_valid_until ?? '');
    expect(until).toBeGreaterThan(Date.now());
    expect([await me(second.key), await me(third.key)]).toEqual([[200], [200]]);
    expect((await read(id)).keys).toMatchObject([{ valid_until: null }, { valid_until: third.previous_valid_until }]);
    await useUntil(until, second.key);
    expect([await me(second.key), await me(third.key)]).toEqual([EXPIRED, [200]]);
    expect((await read(id)).keys).toHaveLength(1);
  });

  it('a second rotation ends the oldest key at once; the main key is none of them', async () => {
    const owner = user;
    const main = await anApiKey(app, owner);
    const { id, key } = await aBot(app, owner);
    const second = await rotate(id, 600);
    const third = await rotate(id, 600);
    expect([await me(key), await me(second.key), await me(third.key)]).toEqual([REVOKED, [200], [200]]);
    expect(await me(main)).toEqual([200]);
    const { keys } = (await get(app, '/account/api-keys', owner.token)).body as { keys: object[] };
    expect(keys).toHaveLength(1);
    for (const seconds of [-1, 86_401, '5', 1.5, null]) {
      const answer = await post(app, `${BOTS}/${id}/rotate`, { overlap_seconds: seconds }, owner.token);
      expect([seconds, answer.status]).toEqual([seconds, 400]);
    }
  });

  it('a bot whose end has come is expired, halted and its keys refused; a later end and resume bring both back', async () => {
    const { id, key } = await aBot(app, user, { expires_at: inMs(2_500) });
    const { expires_at: end } = (await read(id)) as unknown as { expires_at: string };
    await useUntil(Date.parse(end), key);
    expect([await me(key), (await read(id)).state]).toEqual([EXPIRED, 'expired']);
    const resume = (): request.Test => post(app, `${BOTS}/${id}/resume`, undefined, user.token);
    expect(outcome(await resume())).toEqual([409, 'bot_expired', undefined]);
    expect(outcome(await patch(app, `${BOTS}/${id}`, user.token, { expires_at: inMs(60_000) }))).toEqual([200]);
    expect(await me(key)).toEqual([200]);
    expect(await read(id)).toMatchObject({ state: 'halted', halted: { reason: 'expired', by: 'service' } });
    expect(outcome(await resume())).toEqual([200]);
    expect((await read(id)).state).toBe('active');
  });

  it('a key is used from its networks alone, as trusted proxies tell them; a PATCH holds once it is answered', async () => {
    const { id, key } = await aBot(app, user, { allowed_networks: ['203.0.113.0/24', '2001:db8::/32'] });
    for (let count = 0; count < 3; count += 1) {
      for (const path of ['/me', '/kalshi/markets?limit=1', '/bot']) {
        expect([path, outcome(await from(key, '203.0.113.9', path))]).toEqual([path, [200]]);
        expect([path, outcome(await from(key, '::ffff:203.0.113.9', path))]).toEqual([path, [200]]);
        expect([path, outcome(await from(key, '2001:db8::7', path))]).toEqual([path, [200]]);
        expect([path, outcome(await from(key, '203.0.114.9', path))]).toEqual([path, ELSEWHERE]);
        expect([path, outcome(await from(key, '203.0.113.9, 198.51.100.1', path))]).toEqual([path, ELSEWHERE]);
      }
    }
    await patch(app, `${BOTS}/${id}`, user.token, { allowed_networks: ['198.51.100.1'] }).expect(200);
    expect(outcome(await from(key, '203.0.113.9'))).toEqual(ELSEWHERE);
    expect(outcome(await from(key, '198.51.100.1'))).toEqual([200]);
  });

  it('narrowing scopes and exchanges holds once it is answered', async () => {
    const { id, key } = await aBot(app, user);
    expect(outcome(await get(app, '/kalshi/orders', key))).toEqual([409, 'credentials_not_configured', undefined]);
    await patch(app, `${BOTS}/${id}`, user.token, { scopes: ['read'] }).expect(200);
    expect(outcome(await get(app, '/kalshi/orders', key))).toEqual([403, 'forbidden', undefined]);
    expect(outcome(await get(app, '/kalshi/markets?limit=1', key))).toEqual([200]);
    await patch(app, `${BOTS}/${id}`, user.token, { exchanges: ['polymarket'] }).expect(200);
    expect(outcome(await get(app, '/kalshi/markets?limit=1', key))).toEqual(TAKEN);
  });

  it('a bot uses its exchanges alone, before the body is looked at; its own orders it reads and cancels anywhere', async () => {
    const trader = await aTrader(stand);
    const { key } = await aBot(app, trader.user, { exchanges: ['polymarket'] });
    const main = await get(app, '/kalshi/markets?limit=1', trader.key).expect(200);
    expect(main.status).toBe(200);
    for (let count = 0; count < 2; count += 1) {
      for (const path of [
        'markets?limit=1',
        'balance',
        'positions',
        'fills',
        'markets/KX1',
        'orderbooks?market_id=x y',
      ]) {
        expect([path, outcome(await get(app, `/kalshi/${path}`, key))]).toEqual([path, TAKEN]);
      }
    }
    expect(outcome(await post(app, '/kalshi/orders', { any: 1 }, key))).toEqual(TAKEN);
    expect(outcome(await get(app, '/nowhere/markets', key))).toEqual([404, 'not_found', undefined]);
    expect(outcome(await get(app, '/polymarket/markets?limit=1', key))).toEqual([200]);
    for (const call of [
      get(app, '/kalshi/orders', key),
      get(app, '/kalshi/orders/1', key),
      get(app, '/kalshi/orders/by-key/a', key),
      remove(app, '/kalshi/orders/1', key),
      remove(app, '/kalshi/orders', key),
      remove(app, '/kalshi/orders/by-key/a', key),
    ]) {
      expect(outcome(await call)).not.toEqual(TAKEN);
    }
    const { exchanges } = (await get(app, '/me', key)).body as { exchanges: { id: string }[] };
    expect(exchanges.map(({ id }) => id)).toEqual(['polymarket']);
  });

  it('S-30 an order of a halted bot is 403 bot_halted and never reaches the exchange; reads go on', async () => {
    const trader = await aTrader(stand);
    const { id, key } = await aBot(app, trader.user);
    const { data } = (await get(app, '/kalshi/markets?limit=1', key)).body as { data: { id: string }[] };
    const order = { market_id: data[0]?.id, outcome: 0, side: 'buy', price: '0.01', size: '1' };
    expect(outcome(await post(app, '/kalshi/orders', order, key))).toEqual([200]);
    await post(app, `${BOTS}/${id}/halt`, undefined, trader.user.token).expect(200);
    expect(outcome(await post(app, '/kalshi/orders', order, key))).toEqual([403, 'bot_halted', 'owner']);
    expect(outcome(await post(app, '/kalshi/orders', order, key).set('Idempotency-Key', 'halted'))).toEqual([
      403,
      'bot_halted',
      'owner',
    ]);
    expect(outcome(await get(app, '/kalshi/orders', key))).toEqual([200]);
    await post(app, `${BOTS}/${id}/resume`, undefined, trader.user.token).expect(200);
    expect(outcome(await post(app, '/kalshi/orders', order, key))).toEqual([200]);
  });

  it('R-20 notes the last use of a key', async () => {
    const { id, key } = await aBot(app, user);
    expect(await me(key)).toEqual([200]);
    await app.get(ApiKeyUsage).flush();
    const [shown] = (await read(id)).keys as unknown as { last_used_at: string }[];
    expect(Date.now() - Date.parse(shown?.last_used_at ?? '')).toBeLessThan(60_000);
  });
});

describe('bots of an account (contract.md 5.11)', () => {
  let stand: TestStand;
  let app: TestApp;

  beforeAll(async () => {
    stand = await startTestStand({ API_KEY_CACHE_TTL: '0s' });
    ({ app } = stand);
  });

  afterAll(() => stand.close());

  it('S-59 widening, rotating and resuming need a confirmed session; narrowing and halting need none', async () => {
    const someone = await aUser(app);
    const terms = {
      exchanges: ['kalshi'],
      markets: [{ exchange: 'kalshi', series_id: 'KX1' }],
      allowed_networks: ['203.0.113.0/24'],
      limits: { max_order_risk: '10', max_open_orders: 5 },
      expires_at: inMs(86_400_000),
    };
    const { id } = await aBot(app, someone, { ...terms, scopes: ['read'] });
    await app.query(`UPDATE sessions SET created_at = now() - interval '31 minutes' WHERE user_id = $1`, [someone.id]);
    const change = async (body: object): Promise<unknown[]> =>
      outcome(await patch(app, `${BOTS}/${id}`, someone.token, body));
    const before = (await get(app, `${BOTS}/${id}`, someone.token)).body as ShownBot;
    for (const body of [
      { scopes: ['read', 'trade'] },
      { exchanges: ['kalshi', 'polymarket'] },
      { exchanges: null },
      { markets: null },
      { markets: [{ exchange: 'kalshi', series_id: 'KX2' }] },
      { allowed_networks: null },
      { allowed_networks: ['203.0.113.0/24', '198.51.100.1'] },
      { limits: null },
      { limits: { max_order_risk: null } },
      { limits: { max_order_risk: '10.01' } },
      { limits: { max_open_orders: 6 } },
      { expires_at: null },
      { expires_at: inMs(2 * 86_400_000) },
      { name: 'new name', limits: { max_order_risk: '11', max_open_orders: 1 } },
    ]) {
      expect([body, await change(body)]).toEqual([body, UNCONFIRMED]);
    }
    expect((await get(app, `${BOTS}/${id}`, someone.token)).body).toMatchObject({
      ...before,
      usage: expect.any(Object),
    });
    for (const body of [
      { name: 'new name' },
      { limits: { max_order_risk: '9.5', max_position: '3' } },
      { limits: { max_open_orders: 4 } },
      { expires_at: inMs(3_600_000) },
    ]) {
      expect([body, await change(body)]).toEqual([body, [200]]);
    }
    const send = async (path: string, body?: object): Promise<unknown[]> =>
      outcome(await post(app, path, body, someone.token));
    expect(await send(`${BOTS}/${id}/halt`)).toEqual([200]);
    expect(await send(`${BOTS}/${id}/rotate`)).toEqual(UNCONFIRMED);
    expect(await send(`${BOTS}/${id}/resume`)).toEqual(UNCONFIRMED);
    expect(await send(BOTS, { name: 'trades', scopes: ['trade'] })).toEqual(UNCONFIRMED);
    expect(await send(BOTS, { name: 'reads' })).toEqual([201]);
    expect(await send('/account/confirm', { password: someone.password })).toEqual([200]);
    expect(await change({ limits: null })).toEqual([200]);
    expect(await send(`${BOTS}/${id}/resume`)).toEqual([200]);
  });

  it.each(['disable', 'lock'] as const)('S-12 %s ends the keys of all bots and halts them', async (action) => {
    const someone = await aUser(app);
    const { id, key } = await aBot(app, someone);
    expect(outcome(await get(app, '/me', key))).toEqual([200]);
    const users = usersAdmin(app);
    const found = await users.find(someone.email);
    if (found === null) throw new Error('no such user');
    await users[action](found);
    expect(outcome(await get(app, '/me', key))).toEqual(
      action === 'disable' ? [401, 'unauthorized', 'invalid'] : REVOKED,
    );
    const [bot] = await app.query('SELECT halt_reason, halted_by FROM bots WHERE id = $1', [id]);
    expect(bot).toEqual({ halt_reason: 'operator', halted_by: 'operator' });
    const live = 'SELECT 1 FROM bot_keys WHERE bot_id = $1 AND revoked_at IS NULL';
    expect(await app.query(live, [id])).toEqual([]);
  });

  it('what nobody changes is halted as it ends', async () => {
    const someone = await aUser(app);
    const { id } = await aBot(app, someone, { expires_at: inMs(500) });
    const read = async (): Promise<ShownBot> =>
      (await get(app, `${BOTS}/${id}`, someone.token).expect(200)).body as ShownBot;
    const deadline = Date.now() + HALTED_MS;
    while ((await read()).halted === null && Date.now() < deadline) await delay(100);
    expect(await read()).toMatchObject({ state: 'expired', halted: { reason: 'expired', by: 'service' } });
    await waitForMail(app, someone.email, 'its end has come');
  });

  it('S-41 notes once a minute, whichever instances refuse, that a limit of a bot refuses', async () => {
    const someone = await aUser(app);
    const { id, bot } = await aBot(app, someone);
    const caller = { kind: 'api-key', userId: someone.id, keyPrefix: bot.keys[0]?.prefix ?? '', scopes: ['trade'], bot: botNamed(id) } as const; // prettier-ignore
    const instances = [1, 2].map(() => new OrderJournal(app.get(ActivityService), app.get(LedgerReads)));
    const refuse = async (limit: string): Promise<void> => {
      for (const journal of instances) await journal.noteLimit(caller, 'kalshi', { limit, allowed: '1', used: '0', asked: '2' }); // prettier-ignore
    };
    await refuse('max_order_risk');
    await refuse('max_order_risk');
    await refuse('max_open_risk');
    const noted = await app.query(
      `SELECT details FROM security_events WHERE bot_id = $1 AND type = 'limit_refused' ORDER BY created_at`,
      [id],
    );
    expect(noted.map(({ details }) => details)).toEqual([
      { limit: 'max_order_risk', allowed: '1', used: '0', asked: '2' },
      { limit: 'max_open_risk', allowed: '1', used: '0', asked: '2' },
    ]);
  });

  it('S-41 notes what happens to a bot with its id, and shows one bot alone', async () => {
    const someone = await aUser(app);
    const { id, key, bot } = await aBot(app, someone, { name: 'noted' });
    await aBot(app, someone);
    const path = `${BOTS}/${id}`;
    await patch(app, path, someone.token, { scopes: ['read'] }).expect(200);
    await patch(app, path, someone.token, { scopes: ['read'] }).expect(200);
    await get(app, '/kalshi/balance', key).expect(403);
    await post(app, `${path}/rotate`, {}, someone.token).expect(200);
    await post(app, `${path}/halt`, undefined, someone.token).expect(200);
    await post(app, `${path}/resume`, undefined, someone.token).expect(200);
    await remove(app, path, someone.token).expect(200);
    const list = (query: string): request.Test => get(app, `/account/activity?${query}`, someone.token);
    const answer = (await list(`bot_id=${id}&limit=3`).expect(200)).body as {
      data: { type: string; bot_id: string | null }[];
      next_cursor: string;
    };
    const rest = (await list(`bot_id=${id}&cursor=${answer.next_cursor}`).expect(200)).body as typeof answer;
    const events = [...answer.data, ...rest.data];
    expect(events.map(({ type }) => type)).toEqual([
      'bot_removed',
      'bot_halted',
      'bot_resumed',
      'bot_halted',
      'bot_key_rotated',
      'scope_refused',
      'bot_changed',
      'bot_created',
    ]);
    expect(events.every(({ bot_id: botId }) => botId === id)).toBe(true);
    expect(events.at(-1)).toMatchObject({
      key_prefix: bot.keys[0]?.prefix,
      details: { name: 'noted', scopes: 'trade' },
    });
    expect((await list(`cursor=${answer.next_cursor}`)).status).toBe(400);
    expect((await list('bot_id=x')).status).toBe(400);
    const other = await aUser(app);
    expect((await get(app, `/account/activity?bot_id=${id}`, other.token)).body).toMatchObject({ data: [] });
    const all = (await list('limit=100')).body as typeof answer;
    expect(all.data.some(({ type, bot_id: botId }) => type === 'signup' && botId === null)).toBe(true);
    const mail = await waitForMail(app, someone.email, 'was removed');
    expect(mail.text).toContain(id);
    await waitForMail(app, someone.email, 'A new key was made');
    await waitForMail(app, someone.email, 'A new bot');
  });

  it('mails of each halt by the bot itself, and of none by the owner; and of an end within 3 days, once', async () => {
    const someone = await aUser(app);
    const bots = [await aBot(app, someone), await aBot(app, someone)];
    for (const { key } of bots) await post(app, '/bot/halt', undefined, key).expect(200);
    for (const { id } of bots) await waitForMail(app, someone.email, id);
    const { id } = await aBot(app, someone, { expires_at: inMs(2 * 86_400_000) });
    await post(app, `${BOTS}/${id}/halt`, undefined, someone.token).expect(200);
    const mail = await waitForMail(app, someone.email, 'From then on its keys are refused');
    expect(mail.text).toContain(id);
    const count = async (kind: string): Promise<number> =>
      (await app.query(`SELECT 1 FROM mail_outbox WHERE kind = $1 AND recipient = $2 AND data::text LIKE '%' || $3 || '%'`, [kind, someone.email, kind === 'notice' ? 'bot_halted' : id])).length; // prettier-ignore
    expect([await count('bot_ending'), await count('notice')]).toEqual([1, 2]);
  });
});

describe('requests of bots (contract.md 5.11)', () => {
  let stand: TestStand;
  let app: TestApp;

  beforeAll(async () => {
    stand = await startTestStand({ RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_API: '20/1m', RATE_LIMIT_AUTH: '100000/1m' });
    ({ app } = stand);
  });

  afterAll(() => stand.close());

  const statuses = async (count: number, call: () => Promise<Response>): Promise<number[]> => {
    const seen: number[] = [];
    for (let index = 0; index < count; index += 1) seen.push((await call()).status);
    return seen;
  };
  const many = (count: number, status: number): number[] => Array.from({ length: count }, () => status);

  it('S-56 a bot takes half of its user’s requests at most, or what its owner says; siblings and main key keep the rest', async () => {
    const user = await aUser(app);
    const main = await anApiKey(app, user, ['read']);
    const [half, few] = [await aBot(app, user), await aBot(app, user, { limits: { max_requests_per_minute: 4 } })];
    const read = (key: string) => async (): Promise<Response> => get(app, '/kalshi/markets?limit=1', key);
    expect(await statuses(13, read(half.key))).toEqual([...many(10, 200), ...many(3, 429)]);
    const refused = await read(half.key)();
    expect(refused.body).toMatchObject({
      error: { code: 'rate_limited', retryable: true, details: { limit: 'max_requests_per_minute' } },
    });
    expect(refused.headers['ratelimit-policy']).toBe('"bot";q=10;w=60');
    expect(await statuses(5, read(few.key))).toEqual([...many(4, 200), 429]);
    const own = await read(main)();
    expect([own.status, own.headers['ratelimit-policy'], own.headers.ratelimit]).toEqual([
      200,
      '"api";q=20;w=60',
      expect.stringMatching(/^"api";r=5;/),
    ]);
    expect(await statuses(6, read(main))).toEqual([...many(5, 200), 429]);
    await patch(app, `${BOTS}/${few.id}`, user.token, { limits: { max_requests_per_minute: 5 } }).expect(200);
    const last = await read(few.key)();
    expect([last.status, last.body]).toMatchObject([429, { error: { details: { limit: 'max_requests_per_minute' } } }]);
  });

  it('S-56 GET /bot, halts and cancels count by bot in the limit of cancels, both keys of a rotation together', async () => {
    const user = await aUser(app);
    const [first, second] = [await aBot(app, user), await aBot(app, user)];
    await statuses(11, async () => get(app, '/kalshi/markets?limit=1', first.key));
    const own = await get(app, '/bot', first.key).expect(200);
    expect(own.headers['ratelimit-policy']).toBe('"cancel";q=600;w=60');
    const { key } = (await post(app, `${BOTS}/${first.id}/rotate`, { overlap_seconds: 60 }, user.token)).body as {
      key: string;
    };
    const left = async (call: request.Test): Promise<number> =>
      Number(/r=(\d+)/.exec(String((await call).headers.ratelimit))?.[1]);
    expect(await left(get(app, '/bot', key))).toBe(598);
    expect(await left(remove(app, '/kalshi/orders', first.key))).toBe(597);
    expect(await left(get(app, '/bot', second.key))).toBe(599);
    expect(await left(post(app, '/bot/halt', undefined, second.key))).toBe(598);
  });
});

import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import request from 'supertest';
import { ApiKeyUsage } from '../src/api-keys/api-key-usage.js';
import { Drain } from '../src/platform/http/drain.js';
import { FinishedAnswers } from '../src/answers/finished-answers.js';
import type { TestApp } from './support/app.js';
import { codeOf } from './support/calls.js';
import { EXCHANGES } from './support/exchanges.js';
import { TICKER } from './support/fake-kalshi.js';
import type { FakeServer } from './support/fake-server.js';
import { type Instance, startInstance } from './support/instance.js';
import {
  BOOK,
  countOrdinary,
  laneEnvironment,
  MARKET,
  type Ordinary,
  read,
  startLaneApp,
  startUpstream,
} from './support/lane-stand.js';
import { type RawAnswer, sendRaw } from './support/raw-client.js';
import { anApiKey, aUser, type TestUser } from './support/users.js';

const MANY = { RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_API: '100000/10m' };

/** What differs between two answers to the same request, whoever gives them. */
function comparable({ lines, body }: RawAnswer): RawAnswer {
  const plain = (text: string): string =>
    text
      .replace(/req_[0-9A-Z]{26}/g, 'req_')
      .replace(/^(Date: ).*/, '$1')
      .replace(/^(traceparent: 00-).*/, '$1')
      .replace(/;t=\d+$/, ';t=')
      .replace(/"timestamp":"[^"]+","timestamp_source"/, '"timestamp":"","timestamp_source"');
  return { lines: lines.map(plain), body: plain(body) };
}

describe('the answer lane (contract.md 5.10)', () => {
  let upstream: FakeServer;
  const open: { close(): Promise<unknown> }[] = [];

  beforeEach(async () => {
    upstream = await startUpstream();
    open.push(upstream);
  });

  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one.close();
  });

  async function start(overrides: Record<string, string> = {}): Promise<{ app: TestApp; ordinary: Ordinary }> {
    const app = await startLaneApp(upstream, overrides);
    open.push(app);
    return { app, ordinary: countOrdinary(app) };
  }

  async function aReader(app: TestApp): Promise<{ user: TestUser; key: string }> {
    const user = await aUser(app);
    return { user, key: await anApiKey(app, user, ['read']) };
  }

  it('repeats an answer as the ordinary way wrote it, with an id and a count of its own, and asks nobody', async () => {
    const { app, ordinary } = await start(MANY);
    const { key } = await aReader(app);
    const first = await read(app, BOOK, key);
    const [before, asked] = [ordinary.count, upstream.arrived.length];
    const second = await read(app, BOOK, key);
    expect([ordinary.count, upstream.arrived.length]).toEqual([before, asked]);
    expect([second.status, second.text]).toEqual([200, first.text]);
    expect(second.headers['x-request-id']).toMatch(/^req_[0-9A-Z]{26}$/);
    expect(second.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    expect([first, second].map(({ headers }) => String(headers.ratelimit).replace(/t=.*/, ''))).toEqual([
      '"api";r=99999;',
      '"api";r=99998;',
    ]);
    const lines = app.logLines
      .filter((line) => line.includes('/kalshi/orderbooks'))
      .map((line) => JSON.parse(line) as object);
    expect(lines.map((line) => Object.keys(line))).toEqual([Object.keys(lines[0] ?? {}), Object.keys(lines[0] ?? {})]);
    expect(lines.at(-1)).toMatchObject({ request_id: second.headers['x-request-id'], status: 200, method: 'GET' });
  });

  it.each<[string, Record<string, string>]>([
    ['is off with FAST_LANE=false', { FAST_LANE: 'false' }],
    [
      'steps aside where limits are counted in Redis, also while that is away',
      { REDIS_URL: 'redis://127.0.0.1:9', ...MANY },
    ],
  ])('%s', async (_, overrides) => {
    const { app, ordinary } = await start(overrides);
    const { key } = await aReader(app);
    await read(app, BOOK, key);
    const before = ordinary.count;
    expect((await read(app, BOOK, key)).status).toBe(200);
    expect(ordinary.count).toBe(before + 1);
  });

  it('R-4 steps aside while the service drains, which every answer says', async () => {
    const { app } = await start();
    const { key } = await aReader(app);
    const send = (): Promise<RawAnswer[]> =>
      sendRaw(app.url, `GET ${BOOK} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`, [true]);
    await send();
    expect((await send())[0]?.lines).toContain('Connection: keep-alive');
    app.get(Drain).start();
    expect((await send())[0]?.lines).toContain('Connection: close');
  });

  it('S-31 leaves a key that it does not know, or that lacks the scope, to the ordinary way', async () => {
    const { app, ordinary } = await start();
    const [one, other, none] = [await aReader(app), await aReader(app), await aReader(app)];
    await app.query('ALTER TABLE api_keys DROP CONSTRAINT api_keys_scopes_check');
    await app.query(`UPDATE api_keys SET scopes = '{}' WHERE user_id = $1`, [none.user.id]);
    await read(app, BOOK, one.key);
    await read(app, BOOK, one.key);
    const before = ordinary.count;
    const forged = `${one.key.slice(0, -1)}${one.key.endsWith('0') ? '1' : '0'}`;
    expect((await read(app, BOOK, other.key)).status).toBe(200);
    expect((await read(app, BOOK, forged)).status).toBe(401);
    for (let i = 0; i < 3; i++) expect(codeOf(await read(app, BOOK, none.key))).toBe('forbidden');
    expect(ordinary.count).toBe(before + 5);
    expect((await read(app, BOOK, other.key)).status).toBe(200);
    expect(ordinary.count).toBe(before + 5);
  });

  it('S-30 repeats what a key is to that key alone, as long as what is known of it is trusted', async () => {
    const { app, ordinary } = await start({ API_KEY_CACHE_TTL: '1500ms', ...MANY });
    const readers = [await aReader(app), await aReader(app)];
    let configured = false;
    const readAll = async (): Promise<number> => {
      const before = ordinary.count;
      for (const { user, key } of readers) {
        expect((await read(app, '/me', key)).body).toEqual({
          user_id: user.id,
          key_prefix: key.slice(0, 16),
          scopes: ['read'],
          mode: 'sandbox',
          exchanges: EXCHANGES.map((id) => ({ id, configured, session_key_valid_until: null })),
          limits: { api: { requests: 100_000, seconds: 600 }, cancel: { requests: 600, seconds: 60 } },
          bot: null,
        });
      }
      return ordinary.count - before;
    };
    expect([await readAll(), await readAll()]).toEqual([2, 0]);
    await app.query(
      `INSERT INTO exchange_credentials (user_id, exchange, row_version, key_id, fields, created_at, updated_at)
       SELECT id, exchange, 1, 'none', '{}', now(), now() FROM users, unnest($1::text[]) exchange`,
      [EXCHANGES],
    );
    expect(await readAll()).toBe(0);
    expect((await read(app, '/me?', readers[0]?.key ?? '')).status).toBe(200);
    await delay(1_600);
    configured = true;
    expect(await readAll()).toBe(2);
    await app.query(`UPDATE api_keys SET scopes = '{trade}'`);
    await delay(1_600);
    expect((await read(app, '/me', readers[0]?.key ?? '')).body).toMatchObject({ scopes: ['trade'] });
  });

  it('repeats nothing of a key that is looked up each time', async () => {
    const { app, ordinary } = await start({ API_KEY_CACHE_TTL: '0' });
    const { key } = await aReader(app);
    for (const path of ['/me', BOOK, '/me', BOOK]) expect((await read(app, path, key)).status).toBe(200);
    expect(ordinary.count).toBeGreaterThanOrEqual(4);
  });

  it('R-20 notes the use of a key', async () => {
    const { app } = await start();
    const { key, user } = await aReader(app);
    await read(app, BOOK, key);
    const lastUse = async (): Promise<number> => {
      await app.get(ApiKeyUsage).flush();
      const [row] = await app.query('SELECT last_used_at FROM api_keys WHERE user_id = $1', [user.id]);
      return (row?.last_used_at as Date).getTime();
    };
    const before = await lastUse();
    await delay(20);
    await read(app, BOOK, key);
    expect(await lastUse()).toBeGreaterThan(before);
  });

  it('counts in the same limit; the call too many is refused by the ordinary way, and recorded once', async () => {
    const { app, ordinary } = await start({ RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_API: '5/10m' });
    const { key } = await aReader(app);
    await read(app, '/me', key);
    await read(app, BOOK, key);
    const before = ordinary.count;
    const inLane = await Promise.all(Array.from({ length: 3 }, () => read(app, BOOK, key)));
    expect(inLane.map(({ status, headers }) => [status, /r=\d+/.exec(String(headers.ratelimit))?.[0]]).sort()).toEqual([
      [200, 'r=0'],
      [200, 'r=1'],
      [200, 'r=2'],
    ]);
    expect(ordinary.count).toBe(before);
    for (let i = 0; i < 3; i++) {
      const refused = await read(app, BOOK, key);
      expect([refused.status, codeOf(refused)]).toEqual([429, 'rate_limited']);
      expect(String(refused.headers.ratelimit)).toContain(';r=0;');
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    }
    expect((await read(app, '/me', key)).status).toBe(429);
    const recorded = async (): Promise<number> =>
      (await app.query(`SELECT 1 FROM security_events WHERE type = 'limit_hit'`)).length;
    while ((await recorded()) === 0) await delay(20);
    await delay(200);
    expect(await recorded()).toBe(1);
  });

  it.each<[string, Record<string, string>]>([
    ['where limits are counted', MANY],
    ['where they are not', {}],
  ])('ends one connection where it fails, not the service, %s', async (_, overrides) => {
    const { app } = await start(overrides);
    const { key } = await aReader(app);
    await read(app, BOOK, key);
    const answer = app.get(FinishedAnswers).get(BOOK);
    if (answer === undefined) throw new Error('nothing is kept');
    answer.lane = { scope: 'read', headers: ['not a name', 'x'] };
    await expect(read(app, BOOK, key)).rejects.toThrow('socket hang up');
    expect((await read(app, '/me', key)).status).toBe(200);
    expect(app.logLines.filter((line) => line.includes('the answer lane failed'))).toHaveLength(1);
  });

  it('answers pipelined requests in their order, whichever way each goes', async () => {
    const { app } = await start();
    const { key } = await aReader(app);
    await read(app, BOOK, key);
    const line = (start: string): string => `${start} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`;
    const text = [`GET /me`, `GET ${BOOK}`, `HEAD ${BOOK}`, `GET ${BOOK}&depth=0`, `GET ${BOOK}`].map(line).join('');
    const answers = await sendRaw(app.url, text, [true, true, false, true, true]);
    expect(answers.map(({ lines, body }) => [lines[0], body.slice(0, 12)])).toEqual([
      ['HTTP/1.1 200 OK', '{"user_id":"'],
      ['HTTP/1.1 200 OK', '{"exchange":'],
      ['HTTP/1.1 200 OK', ''],
      ['HTTP/1.1 400 Bad Request', '{"error":{"c'],
      ['HTTP/1.1 200 OK', '{"exchange":'],
    ]);
  });

  describe('S-30 a key that is revoked while the lane answers', () => {
    let other: Instance;

    it('is refused on every instance from when its DELETE has answered', async () => {
      const { app, ordinary } = await start({ API_KEY_CACHE_TTL: '1s' });
      other = await startInstance(app, { ...laneEnvironment(upstream), API_KEY_CACHE_TTL: '1s' });
      open.push(other);
      const { user, key } = await aReader(app);
      let deletedAt = Infinity;
      let isOver = false;
      let answered = 0;
      const late: number[] = [];
      const hammer = async (url: string, path: string): Promise<void> => {
        while (!isOver) {
          const startedAt = performance.now();
          const { status } = await read({ url }, path, key);
          if (url === app.url) answered += 1;
          if (startedAt > deletedAt && status !== 401) late.push(startedAt - deletedAt);
        }
      };
      const runs = [app.url, other.url].flatMap((url) => [BOOK, '/me'].map((path) => hammer(url, path)));
      await delay(700);
      const [all, past] = [answered, ordinary.count];
      await request(app.url)
        .delete(`/account/api-keys/${key.slice(0, 16)}`)
        .auth(user.token, { type: 'bearer' });
      deletedAt = performance.now();
      await delay(1_500);
      isOver = true;
      await Promise.all(runs);
      expect(late).toEqual([]);
      expect(past).toBeLessThan(all);
    });
  });
});

describe('the answer lane beside the ordinary way (contract.md 5.10)', () => {
  let upstream: FakeServer;
  let lane: TestApp;
  let plain: Instance;
  let ordinary: Ordinary;
  let keys: string[];

  beforeAll(async () => {
    upstream = await startUpstream();
    lane = await startLaneApp(upstream, MANY);
    keys = [];
    for (const scope of ['read', 'trade']) keys.push(await anApiKey(lane, await aUser(lane), [scope]));
    plain = await startInstance(lane, { ...laneEnvironment(upstream), ...MANY, FAST_LANE: 'false' });
    ordinary = countOrdinary(lane);
  });

  afterAll(async () => {
    await plain.close();
    await lane.close();
    await upstream.close();
  });

  const KNOWN = [
    BOOK,
    `${BOOK}&depth=1`,
    MARKET,
    `/kalshi/markets?limit=2`,
    `/kalshi/trades?market_id=${TICKER}`,
    '/me',
  ];
  const targets = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...KNOWN) },
    fc.constantFrom(
      `http://a${BOOK}`,
      `${BOOK}&depth=0`,
      `${BOOK}&market_id=x`,
      `${BOOK}#x`,
      BOOK.replace('orderbooks', '%6frderbooks'),
      BOOK.replace('kalshi', 'nowhere'),
      `${MARKET}/`,
      '/me?',
      '//me',
      '/me#x',
      'http://a/me',
      '/kalshi/markets/NONE',
    ),
  );
  const names = (name: string): fc.Arbitrary<string> => fc.constantFrom(name, name.toLowerCase(), name.toUpperCase());
  const header = (name: string, ...values: string[]): fc.Arbitrary<string> =>
    fc.tuple(names(name), fc.constantFrom(...values)).map(([written, value]) => `${written}: ${value}`);
  const common = [
    header('Accept', '*/*', 'application/json', 'text/html'),
    header('Accept-Encoding', 'gzip, deflate, br', 'identity'),
    header('User-Agent', 'a bot', ''),
    header('X-Forwarded-For', '203.0.113.7'),
    header('X-Forwarded-Proto', 'https'),
    header('Traceparent', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', 'no trace'),
    header('Tracestate', 'rojo=1'),
    header('Connection', 'keep-alive', 'close'),
  ];
  const unusual = [
    header('Origin', 'http://localhost:3000', 'https://evil.example'),
    header('Cookie', 'refresh_token=a'),
    header('Cache-Control', 'no-store', 'max-age=0'),
    header('If-None-Match', '*', '"a"'),
    header('If-Modified-Since', 'Mon, 01 Jan 2035 00:00:00 GMT'),
    header('Range', 'bytes=0-5'),
    header('Content-Type', 'application/json'),
    header('Content-Length', '0'),
    header('Expect', 'something'),
    header('Upgrade', 'h2c'),
    header('Host', 'b'),
    header('Authorization', 'Basic YTpi'),
    header('X-Request-Id', 'mine'),
    header('Idempotency-Key', 'a'),
  ];
  const requests = fc.record({
    method: fc.oneof(
      { weight: 8, arbitrary: fc.constant('GET') },
      fc.constantFrom('HEAD', 'POST', 'OPTIONS', 'DELETE'),
    ),
    version: fc.oneof({ weight: 8, arbitrary: fc.constant('1.1') }, fc.constant('1.0')),
    target: targets,
    key: fc.oneof({ weight: 8, arbitrary: fc.constantFrom(0, 1) }, fc.constant(2)),
    scheme: fc.oneof({ weight: 8, arbitrary: fc.constant('Bearer ') }, fc.constantFrom('bearer  ', 'Basic ', '')),
    extras: fc.oneof(
      { weight: 3, arbitrary: fc.subarray(common).chain((some) => fc.tuple(...some)) },
      fc.subarray([...common, ...unusual], { maxLength: 4 }).chain((some) => fc.tuple(...some)),
    ),
  });

  it('S-42 gives the same bytes to every request, but for id, date and the seconds left', async () => {
    for (const target of KNOWN) for (const app of [lane, plain]) await read(app, target, keys[0] ?? '');
    let sent = 0;
    const before = ordinary.count;
    await fc.assert(
      fc.asyncProperty(requests, async ({ method, version, target, key, scheme, extras }) => {
        const credential = keys[key] === undefined ? [] : [`Authorization: ${scheme}${keys[key]}`];
        const head = [`${method} ${target} HTTP/${version}`, 'Host: a', ...credential, ...extras];
        const text = `${head.join('\r\n')}\r\n\r\n`;
        const hasBody = [method !== 'HEAD'];
        const [fast] = await sendRaw(lane.url, text, hasBody);
        const [slow] = await sendRaw(plain.url, text, hasBody);
        sent += 1;
        if (fast === undefined || slow === undefined) throw new Error(`no answer to ${text}`);
        expect(comparable(fast)).toEqual(comparable(slow));
      }),
      { numRuns: 400 },
    );
    expect(sent - (ordinary.count - before)).toBeGreaterThan(50);
  });
});

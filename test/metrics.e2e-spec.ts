import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { parse } from 'yaml';
import { exchangeCredentials } from '../sandbox/demo/environment.js';
import { EncryptionCounts } from '../src/credentials/encryption-counts.js';
import { aBot } from './support/bots.js';
import { aBot as aBotRow } from './support/bot-rows.js';
import { startTestApp, type TestApp } from './support/app.js';
import { codeOf, get, logIn, post, refreshOf } from './support/calls.js';
import { EXCHANGE, EXCHANGES } from './support/exchanges.js';
import { freePort } from './support/loopback.js';
import { parseQuery } from './support/promql.js';
import { aTrader, startTestStand, storeCredentials, type TestStand, type Trader } from './support/sandbox.js';
import { selectedFrom, type Series, seriesIn, sumOf } from './support/scrape.js';
import { anApiKey, aUser } from './support/users.js';

const PREFIX = 'trading_proxy_';
/** What Prometheus adds to what it reads. */
const ADDED_LABELS = ['job', 'instance'];
const BOOK = EXCHANGE.kalshi.book;

async function scrape(url: string): Promise<Series[]> {
  const answer = await request(url).get('/metrics').expect(200);
  return seriesIn(answer.text);
}

/** Every query of the files in deploy/, with where it stands. */
function queriesOfFiles(): [place: string, expression: string][] {
  const alerts = parse(readFileSync('deploy/prometheus/alerts.yml', 'utf8')) as {
    groups: { rules: { alert: string; expr: string }[] }[];
  };
  const dashboard = JSON.parse(readFileSync('deploy/grafana/trading-proxy.json', 'utf8')) as {
    panels: { title: string; targets?: { expr: string }[] }[];
  };
  return [
    ...alerts.groups.flatMap(({ rules }) => rules.map(({ alert, expr }): [string, string] => [alert, expr])),
    ...dashboard.panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }): [string, string] => [title, expr.replaceAll('$__rate_interval', '5m')]),
    ),
  ];
}

describe('metrics (R-24, contract.md 8)', () => {
  let stand: TestStand;
  let app: TestApp;
  /** With a port of its own for metrics, and with a Redis that is away. */
  let other: TestApp;
  let metricsUrl: string;
  let trader: Trader;

  beforeAll(async () => {
    stand = await startTestStand({ MARKET_DATA_CACHE_TTL: '60s', API_KEY_CACHE_TTL: '5s', CATALOGUE_REFRESH: '10m' });
    ({ app } = stand);
    const metricsPort = await freePort();
    metricsUrl = `http://127.0.0.1:${metricsPort}`;
    const limits = { RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_API: '3/10m', REDIS_URL: 'redis://127.0.0.1:9' };
    other = await startTestApp({ ...limits, METRICS_PORT: String(metricsPort) }, app.database);
    trader = await aTrader(stand);
  });

  afterAll(async () => {
    await other.close();
    await stand.close();
  });

  /** By how much a sum rises while something happens. */
  async function rise(
    work: () => PromiseLike<unknown>,
    metric: string,
    labels: Record<string, string>,
  ): Promise<number> {
    const before = sumOf(await scrape(app.url), PREFIX + metric, labels);
    await work();
    const after = sumOf(await scrape(app.url), PREFIX + metric, labels);
    return after - (Number.isNaN(before) ? 0 : before);
  }

  const requests = (work: () => PromiseLike<unknown>, route: string, method: string, status: number): Promise<number> =>
    rise(work, 'http_requests_total', { route, method, status: String(status) });

  it('counts requests by route pattern, method and status, those before and beside the framework too', async () => {
    const { key } = trader;
    const market = (): PromiseLike<unknown> => get(app, `/kalshi/markets/${EXCHANGE.kalshi.market}`, key);
    const { url } = app;
    const refused = { 'Content-Type': 'text/xml' };
    expect({
      read: await requests(market, '/{exchange}/markets/{market_id}', 'GET', 200),
      unknownPath: await requests(() => get(app, '/nothing/here/at/all', key), 'other', 'GET', 404),
      otherMethod: await requests(() => request(url).put('/me'), '/me', 'PUT', 405),
      badTarget: await requests(() => request(url).get('/me%00'), 'other', 'GET', 400),
      noKey: await requests(() => request(url).get('/me'), '/me', 'GET', 401),
      badBody: await requests(
        () => request(url).post('/auth/login').set(refused).send('<a/>'),
        '/auth/login',
        'POST',
        415,
      ),
      oddMethod: await requests(() => request(url).trace('/me'), '/me', 'other', 405),
    }).toEqual({ read: 1, unknownPath: 1, otherMethod: 1, badTarget: 1, noKey: 1, badBody: 1, oddMethod: 1 });
  });

  it('counts and times what the answer lane answers, and hits of the caches', async () => {
    const { key } = trader;
    const twice = async (path: string): Promise<void> => {
      await get(app, path, key).expect(200);
      await get(app, path, key).expect(200);
    };
    await twice(BOOK);
    await twice('/me');
    expect(await requests(() => twice(BOOK), '/{exchange}/orderbooks', 'GET', 200)).toBe(2);
    expect(await requests(() => twice('/me'), '/me', 'GET', 200)).toBe(2);
    expect(await rise(() => twice(BOOK), 'answer_cache_uses_total', { result: 'hit' })).toBe(2);
    expect(await rise(() => twice(BOOK), 'api_key_cache_uses_total', { result: 'hit' })).toBeGreaterThanOrEqual(1);
    expect(
      await rise(() => twice(BOOK), 'http_request_duration_seconds_count', { route: '/{exchange}/orderbooks' }),
    ).toBe(2);
    const all = await scrape(app.url);
    expect(sumOf(all, `${PREFIX}answer_cache_entries`)).toBeGreaterThan(0);
    expect(sumOf(all, `${PREFIX}answer_cache_bytes`)).toBeGreaterThan(0);
    expect(sumOf(all, `${PREFIX}api_key_cache_entries`)).toBeGreaterThan(0);
  });

  describe.each(EXCHANGES)('orders at %s', (exchange) => {
    const place = (body: object, key: string): request.Test =>
      post(app, `/${exchange}/orders`, body, trader.key).set('Idempotency-Key', key);
    const anOrder = (): Promise<object> => EXCHANGE[exchange].anOrder({ app, sandbox: stand.sandbox, key: trader.key });
    const orders = (outcome: string, work: () => PromiseLike<unknown>): Promise<number> =>
      rise(work, 'orders_total', { exchange, outcome });

    it('are counted by their outcome, also a repeat', async () => {
      const body = await anOrder();
      expect(await orders('accepted', () => place(body, 'counted').expect(200))).toBe(1);
      expect(await orders('repeated', () => place(body, 'counted').expect(200))).toBe(1);
      const dear = await EXCHANGE[exchange].anOrder({ app, sandbox: stand.sandbox, key: trader.key }, 1_000_000);
      expect(await orders('refused', () => place(dear, 'refused').expect(422))).toBe(1);
      expect(await orders('not_sent', () => place(dear, 'counted').expect(422))).toBe(1);
    });

    it('R-13 of unknown fate are counted, and shown by age until they are known', async () => {
      const body = await anOrder();
      const fault = {
        exchange,
        method: 'POST',
        path: EXCHANGE[exchange].wire.order[1],
        fault: 'reset_after',
        times: 1,
      };
      await request(stand.sandbox.controlUrl).post('/faults').send(fault).expect(201);
      expect(await orders('unknown', () => place(body, 'unknown').expect(504))).toBe(1);
      const first = { exchange, outcome: 'found' };
      await app.query(
        `UPDATE placements SET first_sent_at = now() - interval '7 minutes' WHERE exchange = $1 AND state = 'unknown'`,
        [exchange],
      );
      // What the database knows is read at most every ten seconds: another instance has not read it yet.
      const fresh = await startTestApp({}, app.database);
      const shown = await scrape(fresh.url);
      await fresh.close();
      expect(sumOf(shown, `${PREFIX}orders_unknown`, { exchange, age: '5m_to_1h' })).toBe(1);
      expect(sumOf(shown, `${PREFIX}orders_unknown`, { exchange })).toBe(1);
      expect(await rise(() => place(body, 'unknown').expect(200), 'order_lookups_total', { outcome: 'found' })).toBe(1);
      expect(sumOf(await scrape(app.url), `${PREFIX}orders_total`, first)).toBe(1);
    });

    it('R-11, R-17 show the calls of the exchange, their times, the breaker and the clock', async () => {
      const all = await scrape(app.url);
      expect(sumOf(all, `${PREFIX}upstream_calls_total`, { exchange, outcome: '2xx' })).toBeGreaterThan(0);
      expect(sumOf(all, `${PREFIX}upstream_calls_total`, { exchange, outcome: 'interrupted' })).toBe(1);
      expect(sumOf(all, `${PREFIX}upstream_request_duration_seconds_count`, { exchange })).toBeGreaterThan(0);
      const servers = selectedFrom(all, `${PREFIX}upstream_breaker_state`, { exchange, state: 'closed' });
      expect(servers.map(({ value }) => value)).toEqual(servers.map(() => 1));
      expect(new Set(servers.map(({ labels }) => labels.calls))).toEqual(
        new Set(['cancel', 'order', 'signed_read', 'public_read']),
      );
      expect(Math.abs(sumOf(all, `${PREFIX}clock_skew_seconds`, { exchange }))).toBeLessThan(6);
    });
  });

  describe('bots', () => {
    it('contract.md 5.13 show what is not proved of them, and since when', async () => {
      const { id } = await aBotRow(app, trader.user.id);
      // Nobody looks at these by itself.
      await app.query(
        `UPDATE bots SET halted_at = now(), halt_reason = 'owner', halt_tried_at = now() + interval '1 hour' WHERE id = $1`,
        [id],
      );
      await app.query(`UPDATE bots SET halted_at = now() - interval '5 minutes' WHERE id = $1`, [id]);
      await app.query(
        `INSERT INTO placements (id, user_id, bot_id, exchange, kind, fingerprint, state, busy_until, first_sent_at, refusal_holds_at,
                                 unbound_at)
         VALUES ('plc_1', $2, $1, 'kalshi', 'order', '', 'unknown', now(), now() - interval '11 minutes', 'infinity', now())`,
        [id, trader.user.id],
      );
      await app.query(
        `INSERT INTO reservations (placement_id, bot_id, exchange, market_id, currency, is_long, unit_risk, size, most, day, open)
         VALUES ('plc_1', $1, 'kalshi', 'M', 'USD', true, 0.5, 1, 1, limit_day(), 1)`,
        [id],
      );
      const fresh = await startTestApp({}, app.database);
      const shown = await scrape(fresh.url);
      await fresh.close();
      const figure = (name: string, labels = {}): number => sumOf(shown, `${PREFIX}bot_${name}`, labels);
      expect(figure('orders_unsettled', { exchange: 'kalshi' })).toBe(1);
      expect(figure('orders_unsettled', { exchange: 'polymarket' })).toBe(0);
      expect(Math.floor(figure('orders_unsettled_oldest_age_seconds', { exchange: 'kalshi' }) / 60)).toBe(11);
      expect(figure('halts_incomplete')).toBe(1);
      expect(Math.floor(figure('halts_incomplete_oldest_age_seconds') / 60)).toBe(5);
    });

    it('contract.md 5.12 are counted by whether their orders were reserved, and by the limit or the halt that refused', async () => {
      const { id, key } = await aBot(app, trader.user, { limits: { max_order_risk: '5' } });
      const order = { market_id: EXCHANGE.kalshi.market, outcome: 'yes', side: 'buy', price: '0.05', size: '10' };
      const place = (size: string, status: number): PromiseLike<unknown> =>
        post(app, '/kalshi/orders', { ...order, size }, key).expect(status);
      const reserved = (outcome: string, work: () => PromiseLike<unknown>): Promise<number> =>
        rise(work, 'bot_reservations_total', { outcome });
      expect(await reserved('reserved', () => place('10', 200))).toBe(1);
      expect(await reserved('limit', () => place('1000', 403))).toBe(1);
      expect(await rise(() => place('1000', 403), 'bot_limit_refusals_total', { limit: 'max_order_risk' })).toBe(1);
      const halt = (): PromiseLike<unknown> => post(app, `/account/bots/${id}/halt`, undefined, trader.user.token);
      expect(await rise(halt, 'bot_halts_total', { reason: 'owner' })).toBe(1);
      expect(await rise(halt, 'bot_halts_total', {})).toBe(0);
      expect(await reserved('halted', () => place('10', 403))).toBe(1);
    });
  });

  it('shows the process, the build, the pool, the mails and the hashes', async () => {
    const all = await scrape(app.url);
    expect(sumOf(all, `${PREFIX}build_info`, { version: '0.1.0', node: process.version })).toBe(1);
    expect(sumOf(all, `${PREFIX}database_up`)).toBe(1);
    expect(sumOf(all, `${PREFIX}database_pool_wait_seconds_count`)).toBeGreaterThan(0);
    expect(sumOf(all, `${PREFIX}database_pool_connections`)).toBeGreaterThan(0);
    expect(sumOf(all, `${PREFIX}mails_total`, { outcome: 'sent' })).toBeGreaterThan(0);
    expect(sumOf(all, `${PREFIX}mail_outbox_waiting`)).toBeGreaterThanOrEqual(0);
    expect(sumOf(all, `${PREFIX}password_hashes`, { state: 'waiting' })).toBe(0);
    expect(sumOf(all, `${PREFIX}http_requests_in_flight`)).toBe(1);
    expect(sumOf(all, 'process_resident_memory_bytes')).toBeGreaterThan(1e6);
  });

  it('S-41 counts what happens to accounts, S-37 and values that do not open', async () => {
    const failed = (): PromiseLike<unknown> => logIn(app, trader.user.email, 'not the password at all').expect(401);
    expect(await rise(failed, 'activity_events_total', { type: 'login_failed' })).toBe(1);
    const user = await aUser(app);
    const key = await anApiKey(app, user);
    await storeCredentials(app, user, 'kalshi', exchangeCredentials(stand.sandbox.addresses).kalshi);
    await app.query(
      `UPDATE exchange_credentials AS own SET fields = other.fields FROM exchange_credentials AS other
        WHERE own.user_id = $1 AND other.user_id = $2 AND own.exchange = 'kalshi' AND other.exchange = 'kalshi'`,
      [user.id, trader.user.id],
    );
    const balance = (): PromiseLike<unknown> => get(app, '/kalshi/balance', key).expect(500);
    expect(await rise(balance, 'decrypt_failures_total', {})).toBeGreaterThanOrEqual(1);
  });

  it('S-38 counts encryptions by key id, over instances and restarts', async () => {
    const total = async (): Promise<number> => {
      await app.get(EncryptionCounts).flush();
      const rows = await app.query(`SELECT encryptions::int FROM encryption_counts WHERE key_id = 't1'`);
      return Number(rows[0]?.encryptions);
    };
    const before = await total();
    expect(before).toBeGreaterThan(0);
    const another = await startTestApp({}, app.database);
    const session = await logIn(another, trader.user.email).expect(200);
    const cookie = `refresh_token=${refreshOf(session)}`;
    await request(another.url).post('/auth/refresh').set('Cookie', cookie).expect(200);
    const shown = await scrape(another.url);
    await another.close();
    expect(sumOf(shown, `${PREFIX}key_encryptions`, { key_id: 't1' })).toBeGreaterThanOrEqual(before);
    expect(await total()).toBeGreaterThan(before);
  });

  it('R-24 shows what each table takes on the disk, and the alert about it reads that', async () => {
    const tables = await app.query(
      `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
    );
    const shown = await scrape(app.url);
    for (const { name } of tables as { name: string }[]) {
      expect(sumOf(shown, `${PREFIX}database_table_bytes`, { table: name })).toBeGreaterThan(-1);
    }
    expect(sumOf(shown, `${PREFIX}database_table_bytes`, { table: 'security_events' })).toBeGreaterThan(8_191);
    expect(tables.length).toBeGreaterThan(15);
  });

  describe('who may read them', () => {
    const unlike = async (path: string, headers: Record<string, string>, url = app.url): Promise<unknown> => {
      const answer = await request(url).get(path).set(headers);
      const lines = Object.entries(answer.headers as Record<string, string>);
      const rest = lines.filter(([name]) => !['date', 'x-request-id', 'content-length'].includes(name));
      return [answer.status, codeOf(answer), rest];
    };

    it.each([
      { 'X-Forwarded-For': '127.0.0.1' },
      { 'X-Forwarded-Host': 'localhost' },
      { Forwarded: 'for=127.0.0.1' },
      { 'X-Real-IP': '127.0.0.1' },
      { Via: '1.1 proxy' },
      { 'X-Forwarded-Anything': '' },
      { Host: 'public.example' },
      { Host: 'localhost.public.example:3000' },
      { Host: '203.0.113.1' },
    ])('nobody behind a proxy, and no page of the web: with %j there is no such path', async (headers) => {
      const [status, code, rest] = (await unlike('/metrics', headers)) as [number, string, unknown];
      expect([status, code]).toEqual([404, 'not_found']);
      expect(await unlike('/metricz', headers)).toEqual([status, code, rest]);
    });

    it('answers GET and HEAD from this machine, in the text format, and nothing else', async () => {
      const answer = await request(app.url).get('/metrics').expect(200);
      for (const Host of ['localhost:3000', '[::1]:3000', '127.0.0.1']) {
        await request(app.url).get('/metrics').set({ Host }).expect(200);
      }
      expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
      expect(answer.headers['x-request-id']).toMatch(/^req_/);
      const head = await request(app.url).head('/metrics').expect(200);
      expect([head.text, Number(head.headers['content-length']) > 0]).toEqual([undefined, true]);
      const posted = await post(app, '/metrics').expect(405);
      expect([codeOf(posted), posted.headers.allow]).toEqual(['method_not_allowed', 'GET, HEAD']);
    });

    it('is not in the OpenAPI document', async () => {
      const document = await request(app.url).get('/docs/openapi.json').expect(200);
      expect(Object.keys((document.body as { paths: object }).paths)).not.toContain('/metrics');
    });

    it('METRICS_PORT answers there alone; the main port knows no such path', async () => {
      expect((await scrape(metricsUrl)).length).toBeGreaterThan(100);
      await request(metricsUrl).get('/metrics').set('X-Forwarded-For', '203.0.113.1').expect(200);
      await request(other.url).get('/metrics').expect(404);
      await request(metricsUrl).get('/health/live').expect(404);
      expect((await request(metricsUrl).post('/metrics').expect(405)).headers.allow).toBe('GET, HEAD');
    });

    it('a taken METRICS_PORT stops the start and is named; the port is free again after a stop', async () => {
      const port = new URL(metricsUrl).port;
      await expect(startTestApp({ METRICS_PORT: port }, app.database)).rejects.toThrow(/METRICS_PORT is taken/);
      const [free, main] = [await freePort(), await freePort()];
      await expect(startTestApp({ PORT: String(main), METRICS_PORT: String(main) }, app.database)).rejects.toThrow(
        'METRICS_PORT must be another port than PORT',
      );
      for (let round = 0; round < 2; round += 1) {
        const again = await startTestApp({ METRICS_PORT: String(free) }, app.database);
        await scrape(`http://127.0.0.1:${free}`);
        await again.close();
      }
    });
  });

  it('contract.md 2 shows that Redis is away, and the limits that were passed', async () => {
    for (let call = 0; call < 4; call += 1) await get(other, '/me', trader.key);
    const all = await scrape(metricsUrl);
    expect(sumOf(all, `${PREFIX}redis_up`)).toBe(0);
    expect(sumOf(all, `${PREFIX}limit_hits_total`, { limit: 'api' })).toBe(1);
    expect(selectedFrom(await scrape(app.url), `${PREFIX}redis_up`)).toEqual([]);
  });

  it('S-53 has nothing in a label that a client chose, nor a user, a key, a market or an address', async () => {
    const { user, key } = trader;
    await get(app, `/kalshi/markets/${EXCHANGE.kalshi.market}`, key).expect(200);
    const text = (await request(app.url).get('/metrics')).text + (await request(metricsUrl).get('/metrics')).text;
    const markets = EXCHANGES.map((exchange) => EXCHANGE[exchange].market);
    for (const secret of [user.id, user.email, key, key.slice(0, 20), ...markets, '127.0.0.1', 'http://']) {
      expect(text).not.toContain(secret);
    }
    for (const { labels } of seriesIn(text)) {
      for (const value of Object.values(labels)) expect(value.length).toBeLessThan(64);
    }
  });

  it('every query of the dashboard and of the alerts reads metrics, labels and values that a driven service has', async () => {
    await get(app, '/polymarket/markets', trader.key).expect(200);
    const all = [...(await scrape(app.url)), ...(await scrape(metricsUrl))];
    const up = { metric: 'up', labels: { job: 'trading-proxy' }, value: 1 };
    const known = [...all, up].map((each) => ({
      ...each,
      labels: { job: 'trading-proxy', instance: 'i', ...each.labels },
    }));
    const faults = queriesOfFiles().flatMap(([place, expression]) =>
      faultsOf(expression, known).map((fault) => `${place}: ${fault}`),
    );
    expect(faults).toEqual([]);
    expect(queriesOfFiles().length).toBeGreaterThan(60);
  });

  it('a query of a metric, label or value that there is not, or that is no PromQL, is found', () => {
    const known = [{ metric: 'a_total', labels: { job: 'x', state: 'open' }, value: 1 }];
    expect(faultsOf('sum by (state) (rate(a_total{state="open"}[5m]))', known)).toEqual([]);
    expect(faultsOf('sum by (wrong) (a_total{state="open"})', known)).toEqual(['nothing has the label wrong']);
    expect(faultsOf('b_total', known)).toEqual(['there is no b_total']);
    expect(faultsOf('a_total{state=~"clos.*"}', known)).toEqual(['a_total has no state=~"clos.*"']);
    expect(() => faultsOf('sum by (state (a_total)', known)).toThrow('no PromQL');
  });

  it('all that the service shows of its own is on the dashboard or in an alert', async () => {
    const read = new Set(
      queriesOfFiles().flatMap(([, expression]) => parseQuery(expression).selectors.map(({ metric }) => metric)),
    );
    const shown = new Set([...(await scrape(app.url)), ...(await scrape(metricsUrl))].map(({ metric }) => metric));
    const unread = [...shown].filter(
      (metric) => metric.startsWith(PREFIX) && !/_(sum|count)$/.test(metric) && !read.has(metric),
    );
    expect(unread).toEqual([]);
  });

  it('each alert says what it means, how bad it is and where to read on', () => {
    const { groups } = parse(readFileSync('deploy/prometheus/alerts.yml', 'utf8')) as {
      groups: { rules: { annotations: Record<string, string>; labels: Record<string, string>; for: string }[] }[];
    };
    for (const { annotations, labels, for: duration } of groups.flatMap(({ rules }) => rules)) {
      expect(annotations).toMatchObject({
        summary: expect.stringMatching(/\S/),
        description: expect.stringMatching(/\.$/),
      });
      expect(annotations.runbook_url).toBe('docs/operations.md#what-to-watch');
      expect(['warning', 'critical']).toContain(labels.severity);
      expect(duration).toMatch(/^\d+m$/);
    }
    const { scrape_configs: jobs } = parse(readFileSync('deploy/prometheus/scrape.yml', 'utf8')) as {
      scrape_configs: { job_name: string; metrics_path: string }[];
    };
    expect(jobs).toMatchObject([{ job_name: 'trading-proxy', metrics_path: '/metrics' }]);
  });
});

/** What a query reads that there is not. */
function faultsOf(expression: string, known: readonly Series[]): string[] {
  const { selectors, groupings } = parseQuery(expression);
  const missing = selectors.flatMap(({ metric, matchers }) => {
    const series = known.filter((each) => each.metric === metric);
    if (series.length === 0) return [`there is no ${metric}`];
    return matchers.flatMap(({ label, operator, value }) => {
      if (value.includes('$instance')) return [];
      const pattern = operator.endsWith('~') ? new RegExp(`^(?:${value})$`) : null;
      const fits = series.some(
        ({ labels: { [label]: found } }) => found !== undefined && (pattern?.test(found) ?? found === value),
      );
      return fits ? [] : [`${metric} has no ${label}${operator}"${value}"`];
    });
  });
  const unknown = groupings.flatMap(({ labels, metrics }) =>
    labels
      .filter((label) => !ADDED_LABELS.includes(label))
      .filter((label) => !known.some((each) => metrics.includes(each.metric) && label in each.labels))
      .map((label) => `nothing has the label ${label}`),
  );
  return [...missing, ...unknown];
}

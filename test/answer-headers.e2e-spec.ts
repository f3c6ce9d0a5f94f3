import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { RouteTable } from '../src/access/route-table.js';
import { startTestApp, type TestApp } from './support/app.js';
import { get, post } from './support/calls.js';
import { sql } from './support/rows.js';
import { aUser } from './support/users.js';

const SAME_EVERYWHERE = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-request-id': expect.stringMatching(/^req_[0-9A-Z]{26}$/),
  'strict-transport-security': expect.stringMatching(/^max-age=\d{8,}/),
};

/** The directives of the content policy, sorted. */
function policyOf({ headers }: Response): string[] {
  const policy = headers['content-security-policy'] ?? '';
  return policy
    .split(';')
    .map((directive) => directive.trim())
    .sort();
}

function expectApiHeaders(answer: Response, what: string): void {
  const seen = { what, ...answer.headers, policy: policyOf(answer) };
  expect(seen).toMatchObject({
    what,
    ...SAME_EVERYWHERE,
    policy: ["default-src 'none'", "frame-ancestors 'none'"],
    'cache-control': 'no-store',
  });
  for (const name of ['x-powered-by', 'server', 'etag']) expect(seen).not.toHaveProperty(name);
}

describe('headers of answers', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp({ CORS_ORIGINS: 'https://app.example,https://other.example' });
  });

  afterAll(() => app.close());

  it('S-42 stand on the answer of every route, to every method', async () => {
    const routes = app.get(RouteTable).list();
    const paths = routes.map(({ path }) => path).filter((path) => !path.startsWith('/dashboard'));
    expect(paths.length).toBeGreaterThan(30);
    for (const path of new Set(paths)) {
      for (const method of ['get', 'head', 'post', 'put', 'patch', 'delete', 'options'] as const) {
        const answer = await request(app.url)[method](path.replace(':exchange', 'kalshi').replaceAll(/:\w+/g, 'x'));
        expectApiHeaders(answer, `${method} ${path}: ${answer.status}`);
      }
    }
  });

  it('S-42 stand on every error, from whatever step it comes', async () => {
    const { token } = await aUser(app);
    const typed = (type: string, body: string): request.Test =>
      request(app.url).post('/auth/login').set('Content-Type', type).send(body);
    const calls: readonly (readonly [number, request.Test])[] = [
      [400, request(app.url).get('/health/%zz')],
      [400, get(app, '/account/profile?x=1', token)],
      [400, typed('application/json', '{"email":')],
      [401, get(app, '/account/profile', 'x')],
      [401, typed('application/json', '{"email":"a@b.example","password":"x"}')],
      [403, request(app.url).post('/auth/refresh').set('Origin', 'https://evil.example')],
      [404, request(app.url).get('/nothing')],
      [405, request(app.url).delete('/me')],
      [413, typed('application/json', JSON.stringify({ email: 'x'.repeat(66_000) }))],
      [415, typed('text/plain', '{}')],
    ];
    for (const [status, call] of calls) {
      const answer = await call;
      expect(answer.status).toBe(status);
      expectApiHeaders(answer, String(status));
    }
    await sql(app, 'ALTER TABLE security_events RENAME TO away');
    const failed = await get(app, '/account/activity', token);
    await sql(app, 'ALTER TABLE away RENAME TO security_events');
    expect(failed.status).toBe(500);
    expectApiHeaders(failed, '500');
  });

  it('S-45 and a failure inside tells nothing of the inside in its body either', async () => {
    const { token } = await aUser(app);
    await sql(app, 'ALTER TABLE security_events RENAME TO away');
    const failed = await get(app, '/account/activity', token);
    await sql(app, 'ALTER TABLE away RENAME TO security_events');
    expect([failed.status, failed.body]).toEqual([
      500,
      {
        error: {
          code: 'internal_error',
          message: 'Something went wrong on our side. Tell the operator the request id.',
          request_id: failed.headers['x-request-id'],
          retryable: false,
        },
      },
    ]);
  });

  it('S-42 stand on the refusal of a limit', async () => {
    const limits = { RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_AUTH: '1/1h' };
    const limited = await startTestApp(limits, app.database);
    const body = { email: 'a@b.example', password: 'x' };
    await post(limited, '/auth/login', body);
    const refused = await post(limited, '/auth/login', body);
    await limited.close();
    expect(refused.status).toBe(429);
    expectApiHeaders(refused, '429');
  });

  it.each([
    '/docs',
    '/docs/',
    '/docs/openapi.json',
    '/docs/nothing',
    '/dashboard',
    '/dashboard/verify-email',
    '/dashboard/x',
  ])(
    'S-42 %s has a strict policy of its own: its own scripts only, nothing in line, no frame around it',
    async (path) => {
      const answer = await request(app.url).get(path);
      expect(answer.headers).toMatchObject(SAME_EVERYWHERE);
      const policy = policyOf(answer);
      expect(policy).toEqual(expect.arrayContaining(["default-src 'none'", "frame-ancestors 'none'"]));
      expect(policy.filter((directive) => directive.startsWith('script-src'))).toEqual(["script-src 'self'"]);
      expect(policy.join(' ')).not.toMatch(/unsafe-eval|\*|https?:/);
      for (const name of ['x-powered-by', 'server']) expect(answer.headers).not.toHaveProperty(name);
    },
  );

  const crossOriginOf = ({ headers }: Response): Record<string, unknown> =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')));

  const words = (list: unknown): string[] =>
    String(list)
      .split(',')
      .map((word) => word.trim())
      .sort();

  it.each(['https://app.example', 'https://other.example'])(
    'S-43 tell %s what it may read and send',
    async (origin) => {
      for (const path of ['/health/live', '/nothing', '/me']) {
        const answer = await request(app.url).get(path).set('Origin', origin);
        const { 'access-control-expose-headers': exposed, ...others } = crossOriginOf(answer);
        expect(others).toEqual({
          'access-control-allow-origin': origin,
          'access-control-allow-credentials': 'true',
        });
        expect(words(exposed)).toEqual([
          'Idempotency-Replayed',
          'RateLimit',
          'RateLimit-Policy',
          'Retry-After',
          'X-Request-Id',
        ]);
        expect(words(answer.headers.vary)).toContain('Origin');
      }
      const preflight = request(app.url).options('/kalshi/orders').set('Origin', origin);
      const allowed = await preflight.set('Access-Control-Request-Method', 'POST');
      expect(allowed.status).toBe(204);
      expect(words(allowed.headers['access-control-allow-headers'])).toEqual([
        'Authorization',
        'Content-Type',
        'Idempotency-Key',
        'Last-Event-ID',
      ]);
      expect(words(allowed.headers['access-control-allow-methods'])).toEqual(
        expect.arrayContaining(['DELETE', 'GET', 'PATCH', 'POST', 'PUT']),
      );
      expect(allowed.headers['access-control-allow-origin']).toBe(origin);
      expect(words(allowed.headers.vary)).toContain('Origin');
    },
  );

  it.each([
    undefined,
    'null',
    '*',
    'http://app.example',
    'https://app.example.evil.example',
    'https://evil-app.example',
    'https://app.example:444',
    'https://app.exampl',
    'https://APP.example',
    'https://app.example, https://other.example',
    'https://user@app.example',
  ])('S-43 tell the origin %s nothing, and every cache that the answer differs by origin', async (origin) => {
    const headers = origin === undefined ? {} : { Origin: origin };
    for (const path of ['/health/live', '/nothing', '/me']) {
      const answer = await request(app.url).get(path).set(headers);
      expect(crossOriginOf(answer)).toEqual({});
      expect(words(answer.headers.vary)).toContain('Origin');
    }
    const preflight = request(app.url).options('/kalshi/orders').set('Access-Control-Request-Method', 'POST');
    expect(crossOriginOf(await preflight.set(headers))).toEqual({});
  });
});

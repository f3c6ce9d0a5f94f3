import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { type RouteFacts, RouteTable } from '../src/access/route-table.js';
import { startTestApp, type TestApp } from './support/app.js';
import { anApiKey, aUser } from './support/users.js';

const CODES = /^[a-z_]+$/;

describe('every request (contract.md 3)', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp();
  });

  afterAll(() => app.close());

  const expectError = (body: unknown, code: string): void => {
    expect(body).toEqual({
      error: expect.objectContaining({
        code,
        message: expect.any(String),
        request_id: expect.stringMatching(/^req_[0-9A-Z]{26}$/),
        retryable: expect.any(Boolean),
      }),
    });
  };

  const raw = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(app.url);
      const socket = connect(Number(port), hostname, () => socket.write(text));
      let answer = '';
      socket.setTimeout(5_000, () => socket.destroy(new Error('no answer')));
      socket.on('data', (chunk: Buffer) => (answer += chunk.toString('utf8')));
      socket.on('close', () => {
        resolve(answer);
      });
      socket.on('error', reject);
    });

  it('answers an unknown path with 404 before the body is looked at', async () => {
    const answer = await request(app.url).post('/nothing/here/at/all').set('Content-Type', 'text/plain').send('{');
    expect(answer.status).toBe(404);
    expectError(answer.body, 'not_found');
  });

  it.each(['/AUTH/login', '//auth/login', '/auth/login/', '/auth//login'])(
    'S-26 knows no other spelling of a path: %s is 404',
    async (path) => {
      expect((await request(app.url).post(path).send({})).status).toBe(404);
    },
  );

  it('S-44 answers an undeclared method with 405 and Allow, before the credential is looked at', async () => {
    const answer = await request(app.url).delete('/me');
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe('GET, HEAD');
    expectError(answer.body, 'method_not_allowed');
  });

  it.each(['/docs', '/docs/openapi.json'])('answers a POST to %s with 405 and Allow', async (path) => {
    const answer = await request(app.url).post(path).send({});
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD']);
    expectError(answer.body, 'method_not_allowed');
    expect((await request(app.url).get(path).redirects(1)).status).toBe(200);
    expect((await request(app.url).post('/docs/nothing')).status).toBe(404);
  });

  it.each(['', 'text/plain', 'application/json'])(
    'takes a chunked body without a byte as none, with the type %j',
    async (type) => {
      const head = `Host: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\nCookie: refresh_token=x\r\n`;
      const typed = type === '' ? head : `${head}Content-Type: ${type}\r\n`;
      expect(await raw(`POST /auth/refresh HTTP/1.1\r\n${typed}\r\n0\r\n\r\n`)).toMatch(
        /^HTTP\/1\.1 401 [^]*"reason":"invalid"/,
      );
      const full = await raw(`POST /auth/refresh HTTP/1.1\r\n${typed}\r\n7\r\n{"a":1}\r\n0\r\n\r\n`);
      expect(full).toMatch(type === 'application/json' ? /^HTTP\/1\.1 400 / : /^HTTP\/1\.1 415 /);
    },
  );

  it.each(['; v=1', ';charset=UTF-8', '; charset="utf-8"; v=1', '; v', ';'])(
    'takes JSON with the parameters %j of its type',
    async (parameters) => {
      const call = request(app.url).post('/auth/login').set('Content-Type', `application/json${parameters}`);
      const answer = await call.send('{"email":"a@b.example","password":"some password"}');
      expectError(answer.body, 'invalid_credentials');
    },
  );

  it('answers HEAD as GET', async () => {
    expect((await request(app.url).head('/health/live')).status).toBe(200);
    expect((await request(app.url).head('/me')).status).toBe(401);
  });

  it.each([
    ['malformed JSON', 'application/json', '{"email":', 400, 'bad_request'],
    ['a JSON string', 'application/json', '"text"', 400, 'bad_request'],
    ['a JSON array', 'application/json', '[]', 400, 'bad_request'],
    ['text', 'text/plain', '{"email":"a@b.c"}', 415, 'unsupported_media_type'],
    ['a form', 'application/x-www-form-urlencoded', 'email=a', 415, 'unsupported_media_type'],
    ['another JSON', 'application/merge-patch+json', '{}', 415, 'unsupported_media_type'],
    ['another charset', 'application/json; charset=utf-16', '{}', 415, 'unsupported_media_type'],
    ['a large body', 'application/json', JSON.stringify({ email: 'x'.repeat(66_000) }), 413, 'payload_too_large'],
    ['a large body of another type', 'text/plain', 'x'.repeat(66_000), 413, 'payload_too_large'],
    ['30,000 nested brackets', 'application/json', '['.repeat(30_000), 400, 'bad_request'],
    ['21 levels', 'application/json', `{"email":${'['.repeat(20)}${']'.repeat(20)}}`, 400, 'bad_request'],
    ['__proto__', 'application/json', '{"__proto__":{"role":"admin"},"email":"a@b.c"}', 400, 'bad_request'],
    ['constructor', 'application/json', '{"constructor":{},"email":"a@b.c"}', 400, 'bad_request'],
    ['NUL in a text', 'application/json', '{"email":"a\\u0000@b.c","password":"x"}', 400, 'bad_request'],
    ['half a surrogate pair', 'application/json', '{"email":"a@b.c","password":"\\ud800"}', 400, 'bad_request'],
    ['a compressed body', 'application/json', '{}', 415, 'unsupported_media_type', { 'Content-Encoding': 'gzip' }],
    [
      'a large compressed one',
      'application/json',
      'x'.repeat(66_000),
      413,
      'payload_too_large',
      { 'Content-Encoding': 'gzip' },
    ],
  ])('S-34, S-35, R-21 refuses %s', async (_, type, body, status, code, headers: Record<string, string> = {}) => {
    const answer = await request(app.url).post('/auth/login').set('Content-Type', type).set(headers).send(body);
    expect(answer.status).toBe(status);
    expectError(answer.body, code);
  });

  it.each(['prototype', ...Object.getOwnPropertyNames(Object.prototype)])(
    'S-33 refuses a field named %s, which every object has by itself',
    async (name) => {
      const login = { email: 'a@b.c', password: 'a long enough one' };
      const named = `{${JSON.stringify(name)}:"x",${JSON.stringify(login).slice(1)}`;
      const body = await request(app.url).post('/auth/login').set('Content-Type', 'application/json').send(named);
      expect(body.status).toBe(400);
      expect(body.body).toMatchObject({ error: { details: { fields: [{ field: name }] } } });
    },
  );

  it('S-45 names unknown and wrong fields without repeating what was sent', async () => {
    const answer = await request(app.url)
      .post('/auth/login')
      .send({ email: 5, password: 'canary-password', role: 'admin' });
    expect(answer.status).toBe(400);
    const { fields } = (answer.body as { error: { details: { fields: { field: string }[] } } }).error.details;
    expect(fields.map(({ field }) => field).sort()).toEqual(['email', 'role']);
    expect(answer.text).not.toContain('canary');
  });

  it('specification.md 4.11, 4.12 takes no body at all as an empty one where every field is optional', async () => {
    const user = await aUser(app);
    const head = (method: string, path: string): string =>
      `${method} ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${user.token}\r\nConnection: close\r\n`;
    expect(await raw(`${head('PATCH', '/account/profile')}Content-Length: 0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await raw(`${head('POST', '/account/api-keys')}\r\n`)).toMatch(/^HTTP\/1\.1 201 /);
    expect(await raw(`${head('POST', '/auth/login')}\r\n`)).toMatch(/^HTTP\/1\.1 400 [^]*"field":"email"/);
    const text = await request(app.url)
      .patch('/account/profile')
      .auth(user.token, { type: 'bearer' })
      .set('Content-Type', 'text/plain')
      .send('{}');
    expect(text.status).toBe(415);
  });

  it('S-47 takes no name of spaces only, neither at sign-up nor in a profile', async () => {
    const user = await aUser(app);
    const signUp = { email: 'blank@example.com', password: 'plum carousel nine harbour', name: '   ' };
    const answers = [
      await request(app.url).post('/auth/signup').send(signUp),
      await request(app.url)
        .patch('/account/profile')
        .auth(user.token, { type: 'bearer' })
        .send({ display_name: '   ' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 400]);
  });

  it.each([
    ['?x=1', [{ field: 'x', message: 'is not known here' }]],
    ['?y=1&%3Cb%3E=2', [{ field: 'y' }, { field: '(unnamed)' }]],
    ['?x=1&x=2&y=3', [{ field: 'x', message: 'must not stand there twice' }]],
  ])('S-33, S-34 names the query parameters of %s where a route takes none or each once', async (query, fields) => {
    const answer = await request(app.url).get(`/health/live${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: { code: 'bad_request', details: { fields } } });
  });

  it.each(['/health/live', '/nothing', '/me', '/docs', '/docs/openapi.json'])(
    'S-42 sets the security headers on %s',
    async (path) => {
      const { headers } = await request(app.url).get(path);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'x-request-id': expect.stringMatching(/^req_/),
      });
      expect(headers['strict-transport-security']).toContain('max-age=');
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
      expect(headers).not.toHaveProperty('x-powered-by');
      expect(headers).not.toHaveProperty('server');
      expect(headers).not.toHaveProperty('etag');
      expect(headers['cache-control'] ?? 'no-store').toBe(
        path.startsWith('/docs') ? (headers['cache-control'] ?? 'no-store') : 'no-store',
      );
    },
  );

  it('S-43 allows exactly the listed origins, with credentials', async () => {
    const origin = new URL(app.settings.publicUrl).origin;
    const good = await request(app.url).get('/health/live').set('Origin', origin);
    expect(good.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      vary: expect.stringContaining('Origin'),
    });
    for (const bad of [
      'null',
      `${origin}.evil.com`,
      `https://${new URL(origin).host}`,
      'http://evil.localhost',
      `${origin}0`,
    ]) {
      const { headers } = await request(app.url).get('/health/live').set('Origin', bad);
      expect([bad, headers['access-control-allow-origin']]).toEqual([bad, undefined]);
    }
  });

  it('S-43 gives a stranger no cross-origin header, and an allowed origin its preflight', async () => {
    const stranger = await request(app.url)
      .options('/auth/login')
      .set('Origin', 'https://evil.example')
      .set('Access-Control-Request-Method', 'POST');
    expect(stranger.status).toBe(405);
    expect(Object.keys(stranger.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    expect((await request(app.url).options('/nothing')).status).toBe(404);
    const friend = await request(app.url)
      .options('/auth/login')
      .set('Origin', new URL(app.settings.publicUrl).origin)
      .set('Access-Control-Request-Method', 'POST');
    expect(friend.status).toBe(204);
    expect(friend.headers['access-control-allow-headers']).toContain('Idempotency-Key');
  });

  it.each([
    ['two Host headers', 'GET /health/live HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n'],
    ['an absolute target', 'GET http://evil.example/health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
    [
      'two lengths',
      'POST /auth/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}x',
    ],
    [
      'length and chunks',
      'POST /auth/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
    ],
    ['a broken percent code', 'GET /health/%zz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
    ['NUL in the path', 'GET /health/%00 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
    ['a long URL', `GET /health/live?${'x'.repeat(5_000)} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`],
  ])('S-35, S-44, R-21 refuses %s with 400', async (_, text) => {
    expect(await raw(text)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('S-42, S-44 refuses an unknown expectation with the one error body and the headers of every answer', async () => {
    const answer = await raw('GET /health/live HTTP/1.1\r\nHost: a\r\nExpect: foo\r\nConnection: close\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 [^]*x-content-type-options: nosniff/i);
    expectError(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')).trim()), 'bad_request');
    const body = '{"email":"a@b.c","password":"x"}';
    const head = `Host: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n`;
    const known = await raw(`POST /auth/login HTTP/1.1\r\n${head}Expect: 100-continue\r\n\r\n${body}`);
    expect(known).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 401 /);
  });

  it('S-44 refuses TRACE', async () => {
    expect(await raw('TRACE /health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 405 /,
    );
  });

  it('S-53 logs 256 characters of a path', async () => {
    const path = `/${'p'.repeat(3_000)}`;
    expect((await request(app.url).get(path)).status).toBe(404);
    expect(app.logLines.join('')).toContain(`"path":"${path.slice(0, 256)}"`);
  });

  it('R-21 survives malformed cookies and headers', async () => {
    for (const cookie of ['refresh_token=%E0%A4%A', 'a=j:{"x"', '=;;;=', 'x'.repeat(4_000)]) {
      expect((await request(app.url).get('/health/live').set('Cookie', cookie)).status).toBe(200);
    }
  });

  it('R-3 is alive and ready', async () => {
    expect((await request(app.url).get('/health/live')).body).toEqual({ status: 'ok' });
    expect((await request(app.url).get('/health/ready')).body).toEqual({ status: 'ok' });
  });

  describe('access (CONTRIBUTING.md 4, S-18)', () => {
    it('is declared by every route, and only these are public', () => {
      const routes = app.get(RouteTable).list();
      expect(routes.length).toBeGreaterThan(15);
      expect(routes.filter(({ access }) => access === undefined)).toEqual([]);
      const open = routes
        .filter(({ access }) => access?.kind === 'public')
        .map(({ method, path }) => `${method} ${path}`);
      for (const route of open) expect(route).toMatch(/^(POST|GET) \/(auth|health|dashboard)(\/|$)/);
      expect(open).not.toContain('POST /auth/logout');
    });

    it('follows the paths: /account/* a session, /me and /{exchange}/* an API key', () => {
      const routes = app.get(RouteTable).list();
      const kindsOf = (pattern: RegExp): Set<string | undefined> =>
        new Set(routes.filter(({ path }) => pattern.test(path)).map(({ access }) => access?.kind));
      expect(kindsOf(/^\/account\//)).toEqual(new Set(['session']));
      expect(kindsOf(/^\/(me$|:exchange\/)/)).toEqual(new Set(['api-key']));
    });

    it('is asked for before anything else: every other route answers 401 without a credential', async () => {
      const closed = app
        .get(RouteTable)
        .list()
        .filter(({ access }) => access?.kind !== 'public');
      for (const { method, path } of closed) {
        const answer = await request(app.url)[method.toLowerCase() as 'get'](path.replaceAll(/:\w+/g, 'x'));
        expect([method, path, answer.status]).toEqual([method, path, 401]);
        expectError(answer.body, 'unauthorized');
      }
    });
  });

  describe('the OpenAPI document (contract.md 8)', () => {
    interface Operation {
      summary?: string;
      description?: string;
      security?: unknown[];
      requestBody?: { required?: boolean };
      responses: Record<string, { description: string; content?: unknown; headers: Record<string, unknown> }>;
    }

    interface DocumentedRoute extends RouteFacts {
      readonly name: string;
      readonly operation: Operation;
    }

    /** Every route but the pages, with what the document says of it. */
    const documented = async (): Promise<DocumentedRoute[]> => {
      const { paths } = (await request(app.url).get('/docs/openapi.json')).body as {
        paths: Record<string, Record<string, Operation>>;
      };
      return app
        .get(RouteTable)
        .list()
        .filter(({ path }) => !path.startsWith('/dashboard'))
        .map((route) => {
          const operation = paths[route.path.replaceAll(/:(\w+)/g, '{$1}')]?.[route.method.toLowerCase()];
          const name = `${route.method} ${route.path}`;
          if (operation === undefined) throw new Error(`${name} is not in the document`);
          return { ...route, name, operation };
        });
    };

    const call = ({ method, path }: RouteFacts, base = app.url): request.Test =>
      request(base)[method.toLowerCase() as 'get'](path.replace(':exchange', 'kalshi').replaceAll(/:\w+/g, 'x'));

    const DESCRIBED_HEADERS = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy', 'Retry-After', 'Idempotency-Replayed'];

    /** Headers of an answer that the document does not have at its status. */
    const undescribedHeaders = ({ operation }: DocumentedRoute, { status, headers }: request.Response): string[] =>
      DESCRIBED_HEADERS.filter(
        (name) => name.toLowerCase() in headers && !(name in (operation.responses[String(status)]?.headers ?? {})),
      );

    it('lists every error that the kind of a route brings with it', async () => {
      for (const { name, method, path, access, operation } of await documented()) {
        const listed = Object.keys(operation.responses);
        const expected = [
          '400',
          '500',
          ...(method === 'GET' ? [] : ['413', '415']),
          ...(access?.kind === 'public' ? [] : ['401', '503']),
          ...(access?.kind === 'api-key' ? ['429'] : []),
          ...(access?.kind === 'api-key' && access.scope !== null ? ['403'] : []),
          ...(path.includes(':') ? ['404'] : []),
        ];
        expect([name, listed]).toEqual([name, expect.arrayContaining(expected)]);
      }
    });

    it('lists whatever a route answers to calls that are wrong in every way', async () => {
      const user = await aUser(app);
      const key = await anApiKey(app, user, ['read']);
      for (const route of await documented()) {
        const token = route.access?.kind === 'api-key' ? key : user.token;
        const signed = (): request.Test => call(route).auth(token, { type: 'bearer' });
        const answers = [
          await call(route),
          await call(route).set('Origin', 'https://evil.example'),
          await call(route).auth('nonsense', { type: 'bearer' }),
          await signed().query({ nonsense: '1' }),
          await signed()
            .set('Content-Type', 'text/plain')
            .send(route.method === 'GET' ? '' : 'text'),
          await signed().send(route.method === 'GET' ? '' : { nonsense: 'x'.repeat(70_000) }),
          await signed(),
        ];
        for (const { status } of answers)
          expect([route.name, Object.keys(route.operation.responses)]).toEqual([
            route.name,
            expect.arrayContaining([String(status)]),
          ]);
        expect([route.name, ...answers.flatMap((answer) => undescribedHeaders(route, answer))]).toEqual([route.name]);
      }
    });

    it('lists 429 where a limit refuses, and on a public or API-key route nowhere else', async () => {
      const user = await aUser(app);
      const key = await anApiKey(app, user, ['admin']);
      const limits = { RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_AUTH: '1/1h', RATE_LIMIT_API: '1/1h' };
      const limited = await startTestApp(limits, app.database);
      try {
        for (const route of await documented()) {
          if (route.access?.kind === 'session') continue;
          const answers: request.Response[] = [];
          for (let tries = 0; tries < 12; tries += 1)
            answers.push(await call(route, limited.url).auth(key, { type: 'bearer' }));
          const statuses = answers.map(({ status }) => status);
          const undescribed = answers.flatMap((answer) => undescribedHeaders(route, answer));
          expect([route.name, ...undescribed]).toEqual([route.name]);
          // The limit of cancels is 600 a minute, and no setting.
          const isOfCancels = /^DELETE \/:exchange\/orders|\/batch-cancel$|^\w+ \/bots?(?:\/|$)/.test(route.name);
          const isLimited = isOfCancels || statuses.includes(429);
          expect([route.name, '429' in route.operation.responses]).toEqual([route.name, isLimited]);
        }
      } finally {
        await limited.close();
      }
    });

    it('says that a body may be left out where every field of it may', async () => {
      const optional = (await documented()).filter(({ operation }) => operation.requestBody?.required === false);
      expect(optional.map(({ name }) => name)).toEqual(['PATCH /account/profile', 'POST /account/api-keys']);
    });

    it('describes every route, with its access and its answer', async () => {
      for (const { path, access, operation } of await documented()) {
        expect([path, typeof operation.summary, typeof operation.description]).toEqual([path, 'string', 'string']);
        const security = JSON.stringify(operation.security ?? []);
        const expected = {
          public: /^\[(\{"refresh_token":\[\]\})?\]$/,
          session: /^\[\{"access-token":\[\]\}/,
          'api-key': /^\[\{"api-key":\[\]\}\]$/,
          both: /^\[\{"api-key":\[\]\},\{"access-token":\[\]\}\]$/,
        };
        const isForBoth = access?.kind === 'api-key' && access.orSession;
        expect(security).toMatch(expected[isForBoth ? 'both' : (access?.kind ?? 'public')]);
        const success = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
        expect([path, success.every(([, { content }]) => content !== undefined), success.length]).toEqual([
          path,
          true,
          1,
        ]);
      }
    });

    it('is of OpenAPI 3.1: null is a type, and a value of every enumeration that may be null', async () => {
      const { text } = await request(app.url).get('/docs/openapi.json');
      const found: unknown[] = [];
      const document = JSON.parse(text, (_name, value: { type?: unknown; enum?: unknown[] } | null) => {
        if (Array.isArray(value?.type) && value.type.includes('null') && value.enum !== undefined)
          found.push(value.enum.at(-1));
        return value;
      }) as { openapi: string };
      expect(document.openapi).toBe('3.1.0');
      expect(text).not.toContain('"nullable"');
      expect(new Set(found)).toEqual(new Set([null]));
    });

    it('has a schema with properties for every model, and refers to none that is missing', async () => {
      const { text } = await request(app.url).get('/docs/openapi.json');
      const document = JSON.parse(text) as { components: { schemas: Record<string, { properties?: object }> } };
      const { schemas } = document.components;
      for (const [name, schema] of Object.entries(schemas))
        expect([name, Object.keys(schema.properties ?? {}).length > 0]).toEqual([name, true]);
      for (const [, name] of text.matchAll(/#\/components\/schemas\/(\w+)/g))
        expect(schemas).toHaveProperty(name ?? '');
    });

    it.each([
      ['TradeDto', 'id', /SHA-256 of `transaction_hash\|token_id\|proxy_wallet\|side\|size\|price`/],
      ['OrderListDto', 'next_cursor', /even empty/],
      ['CandlestickDto', 'source', /`trades`.*`price_points`.*highs and lows between two samples are lost/],
    ])('contract.md 5, unified-schema.md 5 and 6: says of %s what %s means', async (name, property, meaning) => {
      const { components } = (await request(app.url).get('/docs/openapi.json')).body as {
        components: { schemas: Record<string, { properties: Record<string, { description?: string }> }> };
      };
      expect(components.schemas[name]?.properties[property]?.description).toMatch(meaning);
    });

    it.each([
      ['GET /{exchange}/balance', /of the wallet, whichever API key/],
      ['GET /{exchange}/positions', /the wallet's, whichever API key/],
      ['GET /{exchange}/orders', /session key, then those of the API key/],
      ['GET /{exchange}/fills', /session key and of the API key that you have stored, not all of the wallet/],
      ['GET /{exchange}/markets', /up to 5 minutes behind the order book/],
      ['DELETE /{exchange}/orders', /names what this call cancelled, never what an earlier one did/],
    ])('contract.md 5 says at %s what its figures are of', async (name, meaning) => {
      const [method = '', path = ''] = name.split(' ');
      const { paths } = (await request(app.url).get('/docs/openapi.json')).body as {
        paths: Record<string, Record<string, { description: string }>>;
      };
      expect(paths[path]?.[method.toLowerCase()]?.description).toMatch(meaning);
    });
  });

  it('every error code is a word', async () => {
    const { ERROR_CODES } = await import('../src/platform/errors/error-codes.js');
    expect(Object.keys(ERROR_CODES).every((code) => CODES.test(code))).toBe(true);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import type { ExchangeClass } from '../src/exchanges/exchange.js';
import { EXCHANGES } from '../src/exchanges/exchange.registry.js';
import { startTestApp, type TestApp } from './support/app.js';
import type { SignedIn } from './support/calls.js';
import { aUser } from './support/users.js';

interface Schema {
  readonly $ref?: string;
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, { readonly example?: unknown }>>;
}

interface Document {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { requestBody?: { content: Record<string, { schema: Schema }> } }>>>
  >;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** A body that a route takes, as its examples say. */
interface Route {
  readonly method: string;
  readonly path: string;
  readonly example: Readonly<Record<string, unknown>>;
}

const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

/** Values as JSON text that are no good text, list or anything else. */
const ODD = [
  'null',
  'true',
  '0',
  '-1e400',
  '{}',
  '[]',
  '[null]',
  '[["read"]]',
  '{"length":12}',
  '{"$ne":null}',
  '{"toString":"x","constructor":{"prototype":{}}}',
  nested(18),
  nested(19),
  nested(20),
  '"\\ud800"',
  '"\\udfff x"',
  '"a\\u0000b"',
  JSON.stringify('x'.repeat(60_000)),
  JSON.stringify('\u202e\u0001'),
  `"' OR 1=1"`,
];

/** Which exchange takes a body: the one whose credentials have a field of it, else the one that has session keys. */
function exchangeOf(body: string): string {
  const presented: readonly ExchangeClass[] = EXCHANGES;
  const owner = presented.find(({ presentation: { credentials } }) =>
    credentials.fields.some(({ name }) => body.includes(`"${name}"`)),
  );
  return (owner ?? presented.find(({ presentation }) => presentation.session_keys !== null))?.id ?? '';
}

describe('S-34 generated bodies', () => {
  let app: TestApp;
  let person: SignedIn;
  let routes: readonly Route[];

  beforeAll(async () => {
    app = await startTestApp();
    person = await aUser(app);
    const { paths, components } = (await request(app.url).get('/docs/openapi.json')).body as Document;
    const schemasOf = (schema: Schema): Schema[] => {
      if (schema.oneOf !== undefined) return schema.oneOf.flatMap(schemasOf);
      if (schema.$ref === undefined) return [schema];
      return schemasOf(components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {});
    };
    routes = Object.entries(paths)
      .filter(([path]) => path.startsWith('/auth/') || path.startsWith('/account/') || path === '/account')
      .flatMap(([path, operations]) =>
        Object.entries(operations).flatMap(([method, { requestBody }]) =>
          Object.values(requestBody?.content ?? {})
            .flatMap(({ schema }) => schemasOf(schema))
            .map(({ properties = {} }) => ({
              method,
              path,
              example: Object.fromEntries(Object.entries(properties).map(([name, { example }]) => [name, example])),
            })),
        ),
      );
  });

  afterAll(() => app.close());

  async function send({ method, path }: Route, body: string): Promise<{ status: number; text: string }> {
    const answer = await fetch(`${app.url}${path.replace('{exchange}', exchangeOf(body))}`, {
      method: method.toUpperCase(),
      headers: { 'content-type': 'application/json', authorization: `Bearer ${person.token}` },
      body,
    });
    return { status: answer.status, text: await answer.text() };
  }

  it('knows the routes that take a body', () => {
    const names = new Set(routes.map(({ method, path }) => `${method} ${path}`));
    expect(names).toEqual(
      new Set([
        'post /auth/signup',
        'post /auth/login',
        'post /auth/verify-email',
        'post /auth/forgot-password',
        'post /auth/reset-password',
        'post /auth/google/callback',
        'post /auth/github/callback',
        'post /account/password',
        'post /account/confirm',
        'post /account/api-keys',
        'post /account/bots',
        'post /account/bots/{bot_id}/rotate',
        'patch /account/bots/{bot_id}',
        'patch /account/profile',
        'put /account/equity',
        'put /account/credentials/{exchange}',
        'post /account/credentials/{exchange}/session-key',
        'post /account/credentials/{exchange}/session-key/activate',
        'delete /account',
      ]),
    );
  });

  it('S-35 get a 4xx for anything odd in any field of any route, and nothing ever a 5xx', async () => {
    const wrong: string[] = [];
    for (const route of routes) {
      const { example } = route;
      const whole = ODD.map((value) => [value, value] as const);
      const fields = Object.keys(example).flatMap((name) =>
        ODD.map((value) => {
          const others = Object.entries(example).filter(([other, given]) => other !== name && given !== undefined);
          const members = others.map(([other, given]) => `${JSON.stringify(other)}:${JSON.stringify(given)}`);
          return [
            `${name} = ${value.slice(0, 40)}`,
            `{${[...members, `${JSON.stringify(name)}:${value}`].join(',')}}`,
          ] as const;
        }),
      );
      for (const [what, body] of [...whole, ...fields]) {
        const { status, text } = await send(route, body);
        if (status >= 500 || !text.startsWith('{')) wrong.push(`${route.method} ${route.path} ${what}: ${status}`);
      }
    }
    expect(wrong).toEqual([]);
    expect((await request(app.url).get('/account/profile').auth(person.token, { type: 'bearer' })).status).toBe(200);
  }, 120_000);
});

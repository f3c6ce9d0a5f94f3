import { beforeAll, describe, expect, it } from '@jest/globals';
import { EXCHANGES } from '../src/exchanges/exchange.registry.js';
import { ERROR_CODES } from '../src/platform/errors/error-codes.js';
import { DocumentChecks, type JsonSchema } from './support/document-checks.js';
import { ownDocument } from './support/own-document.js';

type Json = Readonly<Record<string, unknown>>;

interface Reference {
  readonly $ref: string;
}

interface Media {
  readonly schema: JsonSchema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, Reference | { readonly value: unknown }>>;
}

interface Answer {
  readonly headers: Readonly<Record<string, Reference>>;
  readonly content: Readonly<Record<string, Media>>;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly schema: JsonSchema; readonly example?: unknown }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Answer>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly headers: Readonly<Record<string, { readonly schema: JsonSchema; readonly example: unknown }>>;
    readonly examples: Readonly<Record<string, { readonly value: { readonly error: { readonly code: string } } }>>;
  };
}

interface Example {
  readonly at: string;
  readonly schema: JsonSchema;
  readonly value: unknown;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The examples that stand beside members of a schema, at any depth. */
function examplesIn(schema: unknown, at: string): Example[] {
  if (!isObject(schema)) return [];
  const own = 'example' in schema ? [{ at, schema, value: schema.example }] : [];
  const { properties, items, oneOf, anyOf, allOf } = schema;
  const members = isObject(properties) ? Object.entries(properties) : [];
  const others = [items, oneOf, anyOf, allOf].flat();
  return [
    ...own,
    ...members.flatMap(([name, member]) => examplesIn(member, `${at}.${name}`)),
    ...others.flatMap((one, index) => examplesIn(one, `${at}[${index}]`)),
  ];
}

/** Of a method that no operation has, and the last message of a stream. */
const ELSEWHERE = ['method_not_allowed', 'preview_expired', 'slow_consumer'];

describe('the examples of the OpenAPI document (contract.md 8)', () => {
  let document: Document;
  let operations: readonly Operation[];
  let checks: DocumentChecks;

  beforeAll(async () => {
    document = await ownDocument<Document>();
    operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    checks = new DocumentChecks(document);
  });

  const defectsOf = ({ at, schema, value }: Example): string[] =>
    checks.defects(schema, value).map((defect) => `${at}: ${defect}`);

  const valueOf = (example: Reference | { readonly value: unknown }): unknown =>
    '$ref' in example ? document.components.examples[example.$ref.split('/').at(-1) ?? '']?.value : example.value;

  const examplesOf = (content: Readonly<Record<string, Media>>, at: string): Example[] =>
    Object.values(content).flatMap(({ schema, example, examples = {} }) => [
      ...(example === undefined ? [] : [{ at, schema, value: example }]),
      ...Object.entries(examples).map(([name, one]) => ({ at: `${at} ${name}`, schema, value: valueOf(one) })),
    ]);

  it('fit the schemas of all answers, of which each has one', () => {
    for (const { operationId, responses } of operations) {
      for (const [status, { content }] of Object.entries(responses)) {
        const examples = examplesOf(content, `${operationId} ${status}`);
        expect([operationId, status, examples.length > 0]).toEqual([operationId, status, true]);
        expect(examples.flatMap(defectsOf)).toEqual([]);
      }
    }
  });

  it('fit the schemas of bodies, parameters and headers', () => {
    const parameters = operations.flatMap(({ operationId, parameters: list = [] }) =>
      list.flatMap(({ name, schema, example }) => [
        ...(example === undefined ? [] : [{ at: `${operationId} ${name}`, schema, value: example }]),
        ...examplesIn(schema, `${operationId} ${name}`),
      ]),
    );
    const bodies = operations.flatMap(({ operationId, requestBody }) =>
      examplesOf(requestBody?.content ?? {}, operationId),
    );
    const headers = Object.entries(document.components.headers).map(([at, { schema, example }]) => ({
      at,
      schema,
      value: example,
    }));
    expect([...parameters, ...bodies, ...headers].flatMap(defectsOf)).toEqual([]);
    // One order, a batch of one, and a preview of one.
    const forms = EXCHANGES.flatMap(({ docs }) => [...docs.orderForms]);
    expect([parameters.length > 15, bodies.length, headers.length]).toEqual([true, 3 * forms.length, 5]);
  });

  it('fit the schemas of all members', () => {
    const examples = Object.entries(document.components.schemas).flatMap(([name, schema]) => examplesIn(schema, name));
    expect(examples.length).toBeGreaterThan(200);
    expect(examples.flatMap(defectsOf)).toEqual([]);
  });

  it('show an order and an error of a batch, and books whose best bid is below the best ask', () => {
    const answers = new Map(
      operations.map(({ operationId, responses }) => [operationId, responses['200']?.content['application/json']]),
    );
    expect(answers.get('createOrders')?.example).toEqual({
      results: [
        { index: 0, order: expect.any(Object) },
        { index: 1, error: expect.any(Object) },
      ],
    });
    const sides = (of: 'bids' | 'asks') =>
      [...JSON.stringify([...answers.values()]).matchAll(new RegExp(`"${of}":\\[{"price":"([\\d.]+)"`, 'g'))].map(
        ([, price]) => Number(price),
      );
    const asks = sides('asks');
    expect(asks.length).toBeGreaterThan(1);
    expect(sides('bids').filter((bid, index) => bid >= (asks[index] ?? 0))).toEqual([]);
  });

  it('are one of each error code but those that no operation answers with, at the statuses of the code', () => {
    const codes = Object.fromEntries(Object.entries(ERROR_CODES).filter(([code]) => !ELSEWHERE.includes(code)));
    const { examples } = document.components;
    expect(Object.keys(examples).sort()).toEqual(Object.keys(codes).sort());
    for (const [code, { value }] of Object.entries(examples)) expect(value.error.code).toBe(code);
    const named = operations.flatMap(({ responses }) =>
      Object.entries(responses).flatMap(([status, { content }]) =>
        Object.values(content).flatMap(({ examples: list = {} }) =>
          Object.keys(list).map((code) => `${code} ${status}`),
        ),
      ),
    );
    const expected = Object.entries(codes).map(([code, { status }]) => `${code} ${status}`);
    expect([...new Set(named)].sort()).toEqual([...expected, 'oauth_failed 403'].sort());
  });

  it('are beside the headers of every answer, which the document has', () => {
    for (const { operationId, responses } of operations) {
      for (const [status, { headers }] of Object.entries(responses)) {
        expect([operationId, status, Object.keys(headers)]).toEqual([
          operationId,
          status,
          expect.arrayContaining(['X-Request-Id']),
        ]);
        for (const [name, { $ref }] of Object.entries(headers)) {
          expect($ref).toBe(`#/components/headers/${name}`);
          expect(document.components.headers).toHaveProperty([name]);
        }
      }
    }
  });
});

import 'reflect-metadata';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { EXCHANGES } from '../src/exchanges/exchange.registry.js';
import { validateAs } from '../src/platform/http/validation.js';
import { DocumentChecks, type JsonSchema } from './support/document-checks.js';
import { ownDocument } from './support/own-document.js';

type Body = Readonly<Record<string, unknown>>;

interface Document {
  readonly paths: {
    readonly '/{exchange}/orders': {
      readonly post: {
        readonly requestBody: {
          readonly content: {
            readonly 'application/json': {
              readonly schema: JsonSchema;
              readonly examples: Readonly<Record<string, object>>;
            };
          };
        };
      };
    };
  };
  readonly components: { readonly schemas: Readonly<Record<string, { readonly required: readonly string[] }>> };
}

const FORMS = EXCHANGES.flatMap(({ id, docs, OrderRequest }) =>
  docs.orderForms.map((form) => ({ name: `${id}: ${form.title}`, id, form, OrderRequest })),
);

/** Members that go with the plain form of every exchange, and with each form alone. */
const EXPIRES_AT = '2099-01-01T00:00:00.000Z';
const TAKEN: Readonly<Record<string, readonly object[]>> = {
  PlainOrder: [
    { outcome: 0 },
    { outcome: 'no', side: 'sell' },
    { price: '0.999', size: '0.01' },
    { price: '0.420', size: '10.50' },
    { time_in_force: 'gtd', expires_at: EXPIRES_AT },
    { time_in_force: 'ioc' },
    { post_only: true },
  ],
  SignedOrder: [{ time_in_force: 'gtd' }, { time_in_force: 'fok' }, { post_only: false }],
};
const TAKEN_AT: Readonly<Record<string, readonly object[]>> = {
  kalshi: [{ reduce_only: true, time_in_force: 'ioc' }, { client_order_id: 'mine_1' }],
  polymarket: [],
};
const REFUSED: Readonly<Record<string, readonly object[]>> = {
  PlainOrder: [
    { nonsense: 1 },
    { outcome: 2 },
    { outcome: null },
    { outcome: '' },
    { side: 'BUY' },
    { price: 0.42 },
    { price: '1' },
    { price: '0.00' },
    { price: '-0.42' },
    { price: '.42' },
    { price: '4.2e-1' },
    { size: 10 },
    { size: '0' },
    { size: '0.0' },
    { size: '010' },
    { time_in_force: 'day' },
    { time_in_force: null },
    { post_only: 'true' },
    { expires_at: 'tomorrow', time_in_force: 'gtd' },
    { signed_order: {} },
  ],
  SignedOrder: [
    { market_id: 'x' },
    { price: '0.42' },
    { expires_at: EXPIRES_AT },
    { client_order_id: 'mine_1' },
    { signed_order: null },
    { signed_order: [] },
    { signed_order: { salt: 1 } },
  ],
};

describe('contract.md 5.6 the documented forms of an order', () => {
  let document: Document;
  let checks: DocumentChecks;

  beforeAll(async () => {
    document = await ownDocument<Document>();
    checks = new DocumentChecks(document);
  });

  const content = (): Document['paths']['/{exchange}/orders']['post']['requestBody']['content']['application/json'] =>
    document.paths['/{exchange}/orders'].post.requestBody.content['application/json'];

  /** Whether the document takes a body, and whether the service does. */
  async function judged(OrderRequest: new () => object, body: Body): Promise<[documented: boolean, served: boolean]> {
    const served = await validateAs<object>(OrderRequest, body).then(
      () => true,
      () => false,
    );
    return [checks.defects(content().schema, body).length === 0, served];
  }

  it('are two closed shapes, with an example of each form', () => {
    expect(content().schema).toEqual({
      oneOf: [{ $ref: '#/components/schemas/PlainOrder' }, { $ref: '#/components/schemas/SignedOrder' }],
    });
    expect(Object.keys(content().examples)).toEqual(FORMS.map(({ form }) => form.title));
    expect(document.components.schemas).toMatchObject({
      PlainOrder: { additionalProperties: false },
      SignedOrder: { additionalProperties: false },
      SignedOrderDto: { additionalProperties: false },
    });
  });

  it.each(FORMS)('$name needs what it says, and its example is one', async ({ form, OrderRequest }) => {
    const example = form.example as Body;
    expect(await judged(OrderRequest, example)).toEqual([true, true]);
    for (const field of document.components.schemas[form.body.name]?.required ?? []) {
      const less = Object.fromEntries(Object.entries(example).filter(([name]) => name !== field));
      expect([field, await judged(OrderRequest, less)]).toEqual([field, [false, false]]);
    }
  });

  it.each(FORMS)('$name: the document takes what the service takes', async ({ id, form, OrderRequest }) => {
    const own = form.body.name === 'PlainOrder' ? (TAKEN_AT[id] ?? []) : [];
    for (const change of [...(TAKEN[form.body.name] ?? []), ...own])
      expect([change, await judged(OrderRequest, { ...form.example, ...change })]).toEqual([change, [true, true]]);
  });

  it.each(FORMS)(
    '$name: the document refuses what the service refuses for its shape',
    async ({ form, OrderRequest }) => {
      for (const change of REFUSED[form.body.name] ?? [])
        expect([change, await judged(OrderRequest, { ...form.example, ...change })]).toEqual([change, [false, false]]);
    },
  );
});

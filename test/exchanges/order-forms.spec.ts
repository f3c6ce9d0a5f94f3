import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { EXCHANGES } from '../../src/exchanges/exchange.registry.js';
import { TradingController } from '../../src/proxy/trading/trading.controller.js';
import { validateAs } from '../../src/platform/http/validation.js';

interface BodyDocs {
  readonly schema: { readonly oneOf: readonly { readonly title: string; readonly required: readonly string[] }[] };
  readonly examples: Readonly<Record<string, { readonly value: Readonly<Record<string, unknown>> }>>;
}

const FORMS = EXCHANGES.flatMap(({ id, docs, OrderRequest }) =>
  docs.orderForms.map((form) => ({ name: `${id}: ${form.title}`, form, OrderRequest })),
);

describe('contract.md 5.6 the documented forms of an order', () => {
  it.each(FORMS)('$name needs what it says, and its example is one', async ({ form, OrderRequest }) => {
    const example = JSON.parse(JSON.stringify(form.example).replace('0x…', `0x${'ab'.repeat(65)}`)) as Record<
      string,
      unknown
    >;
    await expect(validateAs<object>(OrderRequest, example)).resolves.toBeDefined();
    for (const field of form.required) {
      const less = Object.fromEntries(Object.entries(example).filter(([name]) => name !== field));
      await expect(validateAs<object>(OrderRequest, less)).rejects.toMatchObject({ code: 'bad_request' });
    }
  });

  it('are all in the document of the route', () => {
    const createOrder = Reflect.get(TradingController.prototype, 'createOrder') as object;
    const parameters = Reflect.getMetadata('swagger/apiParameters', createOrder) as (BodyDocs & { in: string })[];
    const body = parameters.find((one) => one.in === 'body');
    const titles = FORMS.map(({ form }) => form.title);
    expect(titles).toHaveLength(3);
    expect(body?.schema.oneOf.map(({ title }) => title)).toEqual(titles);
    expect(Object.keys(body?.examples ?? {})).toEqual(titles);
  });
});

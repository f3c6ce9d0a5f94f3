import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { apiPage, type ApiDocument } from '../scripts/api-docs.mjs';
import { ownDocument } from './support/own-document.js';

interface Call {
  readonly requestBody?: unknown;
  readonly parameters?: readonly { readonly name: string; readonly schema: { readonly maxLength?: number } }[];
}

/** A body of the document and what it is made of, as far as is looked at here. */
interface Schemas {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Call>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

/** The text of a schema with that of all schemas that it names. */
function wholeText(schema: unknown, schemas: Readonly<Record<string, unknown>>): string {
  const text = JSON.stringify(schema);
  const named = Array.from(text.matchAll(/#\/components\/schemas\/(\w+)/g), ([, name = '']) => name);
  return [text, ...named.map((name) => wholeText(schemas[name], schemas))].join('\n');
}

describe('the OpenAPI document (contract.md 8)', () => {
  let document: ApiDocument & Schemas;
  let operations: (ApiDocument['paths'][string][string] & Call)[];

  beforeAll(async () => {
    document = await ownDocument();
    operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  });

  it('has the operations, names, tags, errors and headers that api.md lists, and no others', () => {
    expect(readFileSync(new URL('../docs/api.md', import.meta.url), 'utf8')).toBe(apiPage(document));
  });

  it('names every operation once, in words', () => {
    const names = operations.map(({ operationId }) => operationId);
    expect(names.filter((name) => !/^[a-z]+(?:[A-Z][a-z]+)*$/.test(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });

  it('describes every tag that it uses, and no other', () => {
    const used = operations.flatMap(({ tags }) => tags);
    expect(new Set(document.tags.map(({ name }) => name))).toEqual(new Set(used));
    expect(document.tags.every(({ description }) => description.endsWith('.'))).toBe(true);
  });

  it('says how long an Idempotency-Key may be: of several orders 3 characters less, which the number of each takes', () => {
    const keyed = operations.flatMap(({ operationId, parameters = [] }) =>
      parameters
        .filter(({ name }) => /^idempotency.key$/i.test(name))
        .map(({ schema }) => [operationId, schema.maxLength]),
    );
    expect(keyed.length).toBeGreaterThan(3);
    expect(keyed).toContainEqual(['createOrders', 252]);
    expect(keyed.filter(([name, most]) => name !== 'createOrders' && most !== 255)).toEqual([]);
  });

  it('has no default in the body of a change: a client that fills defaults in would change what it does not name', () => {
    const bodies = Object.values(document.paths).flatMap(({ patch }) => patch?.requestBody ?? []);
    expect(bodies.length).toBeGreaterThan(0);
    expect(bodies.filter((body) => wholeText(body, document.components.schemas).includes('"default"'))).toEqual([]);
  });
});

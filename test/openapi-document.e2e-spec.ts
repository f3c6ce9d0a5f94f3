import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { apiPage, type ApiDocument } from '../scripts/api-docs.mjs';
import { ownDocument } from './support/own-document.js';

/** A body of the document and what it is made of, as far as is looked at here. */
interface Schemas {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly requestBody?: unknown }>>>>;
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
  let operations: ApiDocument['paths'][string][string][];

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

  it('has no default in the body of a change: a client that fills defaults in would change what it does not name', () => {
    const bodies = Object.values(document.paths).flatMap(({ patch }) => patch?.requestBody ?? []);
    expect(bodies.length).toBeGreaterThan(0);
    expect(bodies.filter((body) => wholeText(body, document.components.schemas).includes('"default"'))).toEqual([]);
  });
});

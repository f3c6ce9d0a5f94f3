import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ownDocument } from './support/own-document.js';

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
}

interface Document {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** The rows of the table of api.md, without its marks. */
const LISTED = readFileSync(new URL('../docs/api.md', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')))
  .map(([, call = '', operation = '', tag = '']) => `${call} ${operation} ${tag}`);

describe('the OpenAPI document (contract.md 8)', () => {
  let document: Document;
  let operations: { readonly call: string; readonly operation: Operation }[];

  beforeAll(async () => {
    document = await ownDocument();
    operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ call: `${method.toUpperCase()} ${path}`, operation })),
    );
  });

  it('has the operations, names and tags that api.md lists, and no others', () => {
    const found = operations.map(
      ({ call, operation: { operationId, tags } }) => `${call} ${operationId} ${tags.join()}`,
    );
    expect(found.sort()).toEqual([...LISTED].sort());
  });

  it('names every operation once, in words', () => {
    const names = operations.map(({ operation }) => operation.operationId);
    expect(names.filter((name) => !/^[a-z]+(?:[A-Z][a-z]+)*$/.test(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });

  it('describes every tag that it uses, and no other', () => {
    const used = operations.flatMap(({ operation }) => operation.tags);
    expect(new Set(document.tags.map(({ name }) => name))).toEqual(new Set(used));
    expect(document.tags.every(({ description }) => description.endsWith('.'))).toBe(true);
  });
});

import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { apiPage, type ApiDocument } from '../scripts/api-docs.mjs';
import { ownDocument } from './support/own-document.js';

describe('the OpenAPI document (contract.md 8)', () => {
  let document: ApiDocument;
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
});

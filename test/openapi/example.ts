import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { DocumentName } from '../support/openapi.js';
import { anonymous } from './sources.js';

type Json = Readonly<Record<string, unknown>>;

/** No answer that we read nests objects deeper; schemas that hold themselves end there. */
const DEEPEST = 7;

const parsed = new Map<DocumentName, Json>();

function documentOf(name: DocumentName): Json {
  const document = parsed.get(name) ?? (parse(readFileSync(`test/openapi/${name}.yaml`, 'utf8')) as Json);
  parsed.set(name, document);
  return document;
}

/** An answer with every property that a document has for it; undefined where the document has no such path. */
export function fullAnswer(name: DocumentName, path: string): unknown {
  const document = documentOf(name);
  const operation = Object.entries(document.paths as Json).find(([other]) => anonymous(other) === anonymous(path))?.[1];
  const schema = at(operation, 'get', 'responses', '200', 'content', 'application/json', 'schema');
  return schema === undefined ? undefined : filled(document, schema as Json, 0);
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce((inner, name) => (inner as Json | undefined)?.[name], value);
}

function filled(document: Json, schema: Json, depth: number): unknown {
  if (typeof schema.$ref === 'string') {
    return filled(document, at(document, ...schema.$ref.slice(2).split('/')) as Json, depth);
  }
  if (depth > DEEPEST) return null;
  const parts = [schema.allOf, schema.oneOf, schema.anyOf].flat().filter((part) => part !== undefined) as Json[];
  if (schema.items !== undefined) return [filled(document, schema.items as Json, depth + 1)];
  const own = Object.entries((schema.properties ?? {}) as Record<string, Json>).map(([name, inner]) => [
    name,
    filled(document, inner, depth + 1),
  ]);
  const inherited = parts.map((part) => filled(document, part, depth)).filter((part) => typeof part === 'object');
  if (own.length > 0 || inherited.length > 0)
    return Object.assign({}, ...inherited, Object.fromEntries(own)) as unknown;
  return Array.isArray(schema.enum) ? schema.enum[0] : null;
}

import { readFileSync, writeFileSync } from 'node:fs';
import { operationsOf } from './sdk-operations.mjs';

/** Types and paths of the Python client, made of the OpenAPI document. */
const PAGE = 'sdk/python/src/trading_proxy_client/_generated.py';
const DOCUMENT = 'dist/openapi.json';

const HEAD = `"""Types and paths of the service. \`node scripts/sdk-python.mjs\` writes this file from the OpenAPI document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal, TypedDict

from ._errors import TradingProxyError
from ._schema import DecimalInput, Operation, Options`;

/** Schemas that are classes written by hand. */
const OWN = { ErrorMemberDto: 'TradingProxyError' };

/** Words of a schema; most say nothing about types, and bounds are the service's to check. */
const WORDS =
  'type format enum properties required additionalProperties items $ref oneOf anyOf allOf description example default ' +
  'pattern writeOnly minimum maximum minLength maxLength minItems maxItems';
const FORMATS = [undefined, 'decimal', 'date-time', 'email', 'password'];
const SCALARS = { string: 'str', integer: 'int', boolean: 'bool', null: 'None' };

function fail(where, what) {
  throw new Error(`${where}: scripts/sdk-python.mjs does not know ${what}`);
}

function checkWords(schema, where) {
  const unknown = Object.keys(schema).find((word) => !WORDS.split(' ').includes(word));
  if (unknown !== undefined) fail(where, `the word ${unknown}`);
  if (!FORMATS.includes(schema.format)) fail(where, `the format ${schema.format}`);
  if (schema.allOf !== undefined && schema.allOf.length !== 1) fail(where, 'allOf of several');
}

export class Types {
  /** `both`: names of schemas that are sent and received, and have a class for each. */
  constructor(schemas, both) {
    this.schemas = schemas;
    this.both = both;
  }

  /** The class of a schema: its name without "Dto", where no other schema is called so. */
  name(reference, sent) {
    const name = reference.split('/').at(-1);
    if (name in OWN) return OWN[name];
    const short = name.replace(/Dto$/, '');
    return `${short in this.schemas ? name : short}${sent && this.both.includes(name) ? 'Input' : ''}`;
  }

  /** What a schema is in Python: its annotation, and how it is decoded or, if `sent`, encoded (null: as it comes). */
  of(schema, where, sent) {
    checkWords(schema, where);
    const { $ref } = schema;
    if ($ref !== undefined) return { type: this.name($ref, sent), spec: this.name($ref, sent) };
    const parts = schema.allOf ?? schema.oneOf ?? schema.anyOf;
    if (parts !== undefined) return either(parts.map((part) => this.of(part, where, sent)));
    const types = [schema.type].flat().map((type) => this.plain(type, schema, where, sent));
    if (schema.enum === undefined) return either(types);
    const words = schema.enum.filter((value) => value !== null).map((value) => JSON.stringify(value));
    const known = { type: `Literal[${words.join(', ').replaceAll('true', 'True')}]`, spec: null };
    // A value that is not known yet is borne in what is received.
    return either([known, ...(sent ? types.filter(({ type }) => type === 'None') : types)]);
  }

  plain(type, schema, where, sent) {
    if (type === 'array') {
      const item = this.of(schema.items, `${where}[]`, sent);
      return { type: sent ? `list[${item.type}]` : `tuple[${item.type}, ...]`, spec: `[${item.spec ?? 'None'}]` };
    }
    if (type === 'object') return this.map(schema.additionalProperties, where, sent);
    if (schema.format !== 'decimal') return { type: SCALARS[type] ?? fail(where, `the type ${type}`), spec: null };
    return type === 'string'
      ? { type: sent ? 'DecimalInput' : 'Decimal', spec: 'Decimal' }
      : { type: 'None', spec: null };
  }

  /** An object without a name: its members stay as they are on the wire, but where one schema says what each is. */
  map(each, where, sent) {
    if (typeof each !== 'object') return { type: 'Mapping[str, Any]', spec: null };
    const { type, spec } = this.of(each, `${where}{}`, sent);
    return { type: `Mapping[str, ${type}]`, spec: spec === null ? null : `{str: ${spec}}` };
  }

  members(name, sent) {
    const { type, properties, required = [] } = this.schemas[name];
    if (type !== 'object' || properties === undefined) fail(name, 'a schema that is no object with members');
    checkWords(this.schemas[name], name);
    return Object.entries(properties).map(([key, schema]) => {
      const secret = schema.format === 'password';
      return { key, secret, required: required.includes(key), ...this.of(schema, `${name}.${key}`, sent) };
    });
  }
}

function either(parts) {
  const types = [...new Set(parts.flatMap(({ type }) => type.split(' | ')))].filter((type) => type !== 'None');
  const specs = [...new Set(parts.map(({ spec }) => spec))].filter((spec) => spec !== null);
  const optional = parts.some(({ type }) => type.endsWith('None')) ? ['None'] : [];
  return {
    type: [...types, ...optional].join(' | '),
    spec: specs.length > 1 ? `(${specs.join(', ')})` : (specs[0] ?? null),
  };
}

/** Names of the schemas that `value` leads to, in the order of the document. */
function reached(schemas, value, found = new Set()) {
  if (typeof value !== 'object' || value === null) return [];
  const name = value.$ref?.split('/').at(-1);
  if (name !== undefined && !found.has(name)) reached(schemas, schemas[(found.add(name), name)], found);
  for (const member of Object.values(value)) reached(schemas, member, found);
  return Object.keys(schemas).filter((one) => found.has(one));
}

/** What is received. What must not be seen stays out of `repr`. */
function dataclass(name, members) {
  const lines = members.map(({ key, type, required, secret }) => {
    const preset = [...(required ? [] : ['default=None']), ...(secret ? ['repr=False'] : [])].join(', ');
    return `    ${key}: ${required || type.endsWith('None') ? type : `${type} | None`}${preset && ` = field(${preset})`}`;
  });
  const extra = '    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)';
  return ['@dataclass(frozen=True, slots=True, kw_only=True)', `class ${name}:`, ...lines, extra].join('\n');
}

/** What is sent, as keywords or as a dict: two classes, as Python 3.10 has no word for a member that must be there. */
function typedDict(name, members, base = 'TypedDict') {
  const must = members.filter(({ required }) => required);
  const may = members.filter(({ required }) => !required);
  if (must.length > 0 && may.length > 0)
    return [typedDict(`_${name}`, must, base), '\n', typedDict(name, may, `_${name}`)].join('\n');
  const lines = members.map(({ key, type }) => `    ${key}: ${type}`);
  return [`class ${name}(${base}${must.length > 0 ? '' : ', total=False'}):`, ...lines].join('\n');
}

/** How a body or an answer is written or read; of one without a name, by its members. */
function specOf(types, schema, id, sent) {
  if (schema?.properties === undefined) return schema === undefined ? 'None' : types.of(schema, id, sent).spec;
  const members = Object.entries(schema.properties).map(([key, one]) => `"${key}": ${types.of(one, id, sent).spec}`);
  return `{${members.join(', ')}}`;
}

/** The types of a document: the schemas that are received, those that are sent, and how they are called. */
export function typesOf({ paths, components: { schemas } }) {
  const operations = operationsOf({ paths, components: { schemas } });
  const reachedBy = (way) => reached(schemas, operations.map(way)).filter((name) => !(name in OWN));
  // The client knows messages itself: only what they hold are types.
  const dataOf = ({ $ref }) => schemas[$ref.split('/').at(-1)].properties.data;
  const received = reachedBy(({ answer, messages = [] }) => [answer, messages.map(dataOf)]);
  const sent = reachedBy(({ body }) => body);
  const types = new Types(
    schemas,
    sent.filter((name) => received.includes(name)),
  );
  return { operations, received, sent, types };
}

/** The type of an operation's query. What a query must have is a parameter of the method. */
export const queryOf = ({ id, query }) => ({
  name: `${id[0].toUpperCase()}${id.slice(1)}Query`,
  members: query.filter(({ required }) => !required),
});

/** The file, as it is to be. */
export function pythonTypes(document) {
  const { operations, received, sent, types } = typesOf(document);
  const shape = (make, way) => (name) => ({ make, name: types.name(name, way), members: types.members(name, way) });
  const shapes = [...received.map(shape(dataclass, false)), ...sent.map(shape(typedDict, true))];
  const queries = operations.map(queryOf).filter(({ members }) => members.length > 0);
  const queryTypes = queries.map(({ name, members }) =>
    typedDict(
      name,
      members.map(({ name: key, schema }) => ({ key, ...types.of(schema, name, true) })),
      'Options',
    ),
  );
  const table = shapes.flatMap(({ name, members }) => {
    const lines = members.map(({ key, spec }) => `        "${key}": ${spec ?? 'None'},`);
    return [`    ${name}: {`, ...lines, '    },'];
  });
  const calls = operations.map(({ id, method, path, body, answer, proof, isKeyed }) => {
    const specs = [specOf(types, body, id, true), specOf(types, answer, id, false)];
    const more = [`"${proof}"`, isKeyed ? 'True' : 'False'];
    return `    "${id}": Operation("${method}", "${path}", ${[...specs, ...more].join(', ')}),`;
  });
  const classes = shapes.map(({ make, name, members }) => make(name, members));
  const tables = [
    ['FIELDS: dict[Any, dict[str, Any]] = {', ...table, '}'].join('\n'),
    ['OPERATIONS = {', ...calls, '}'].join('\n'),
  ];
  return `${[HEAD, ...classes, ...queryTypes, ...tables].join('\n\n\n')}\n`;
}

if (process.argv[1] === import.meta.filename) {
  const wanted = pythonTypes(JSON.parse(readFileSync(DOCUMENT, 'utf8')));
  if (!process.argv.includes('--check')) writeFileSync(PAGE, wanted);
  else if (readFileSync(PAGE, 'utf8') !== wanted) {
    console.error(`${PAGE} is out of date: run "npm run build && node scripts/sdk-python.mjs"`);
    process.exitCode = 1;
  }
}

import { readFile } from 'node:fs/promises';
import addFormats from 'ajv-formats';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { isRecord } from '../../sandbox/wire/json.js';

/** The documents in `test/openapi/`, by file name: the published ones, and one of our own (exchanges/README.md 1). */
export const DOCUMENTS = ['kalshi', 'polymarket-clob', 'polymarket-gamma', 'polymarket-data-v2'] as const;
export type DocumentName = (typeof DOCUMENTS)[number];

/** JSON Schema as the documents write it. */
export type Schema = Readonly<Record<string, unknown>>;

/** One place where payloads are known to differ from a document, and why they do. */
export type Deviation = { document: DocumentName; because: string } & (
  | { of: 'property'; schema: string; name: string; is: Schema }
  | { of: 'required'; schema: string; name: string }
  | { of: 'answer'; operation: string; status: number; is: Schema }
  /** The bodies of refusals: of all of them, or of those whose body the document leaves open. */
  | { of: 'refusals'; which: 'all' | 'undescribed'; is: Schema }
);

type Json = Record<string, unknown>;

/** Checks answers against one document. What the document does not name is a defect, as is what it requires and misses. */
export class Contract {
  readonly #validators = new Map<string, ValidateFunction>();

  private constructor(
    private readonly name: DocumentName,
    private readonly document: Json,
    private readonly ajv: Ajv2020,
    private readonly refusals: 'all' | 'undescribed' | 'none',
  ) {}

  /** Reads a document and applies the deviations that concern it; throws where one of them has nothing to change. */
  static async load(name: DocumentName, deviations: readonly Deviation[]): Promise<Contract> {
    const document = await read(name);
    const own = deviations.filter((one) => one.document === name);
    for (const deviation of own) deviate(document, deviation);
    // Most validators run once or twice: to shorten their code takes longer than to run it.
    const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false, code: { optimize: false } });
    addFormats.default(ajv);
    ajv.addFormat('uint32', { type: 'number', validate: (value) => value >= 0 && value < 2 ** 32 });
    ajv.addSchema(record(translated(document)), name);
    const refusals = own.find((one) => one.of === 'refusals');
    return new Contract(name, document, ajv, refusals?.which ?? 'none');
  }

  /** Every operation, as `GET /path/{name}`. */
  get operations(): string[] {
    return Object.entries(record(this.document.paths)).flatMap(([path, methods]) =>
      Object.keys(record(methods))
        .filter((method) => METHODS.has(method))
        .map((method) => `${method.toUpperCase()} ${path}`),
    );
  }

  /** The refusals that the document lists for an operation. */
  refusalsOf(operation: string): number[] {
    return Object.keys(record(find(this.document, operationPath(operation)).responses))
      .map(Number)
      .filter((status) => status >= 400);
  }

  /** The media type of an answer; undefined where the document does not say. */
  mediaTypeOf(operation: string, status: number): string | undefined {
    return this.#described(operation, status)?.type;
  }

  /** What is wrong with an answer: empty where it is as the document says. */
  defects(operation: string, status: number, body: unknown): string[] {
    const pointer = this.#pointer(operation, status);
    if (pointer === undefined) return [`${this.name} does not describe the body of ${operation} ${status}`];
    const validate = this.#validators.get(pointer) ?? this.ajv.compile({ $ref: `${this.name}#${pointer}` });
    this.#validators.set(pointer, validate);
    return validate(body) ? [] : (validate.errors ?? []).map(describeError);
  }

  #pointer(operation: string, status: number): string | undefined {
    const described = this.#described(operation, status);
    const falls = this.refusals === 'all' || (this.refusals === 'undescribed' && described === undefined);
    return status >= 400 && falls ? toPointer(REFUSAL) : described?.pointer;
  }

  #described(operation: string, status: number): { type: string; pointer: string } | undefined {
    const at = [...operationPath(operation), 'responses', String(status)];
    const { $ref } = find(this.document, at);
    const path = typeof $ref === 'string' ? $ref.slice(2).split('/') : at;
    const content = record(find(this.document, path).content);
    const type = Object.keys(content).find((name) => record(content[name]).schema !== undefined);
    return type === undefined ? undefined : { type, pointer: toPointer([...path, 'content', type, 'schema']) };
  }
}

const parsed = new Map<DocumentName, unknown>();

/** A copy of a document, to be changed at will. */
async function read(name: DocumentName): Promise<Json> {
  if (!parsed.has(name))
    parsed.set(name, parse(await readFile(new URL(`../openapi/${name}.yaml`, import.meta.url), 'utf8')));
  return record(structuredClone(parsed.get(name)));
}

/** Where the shape of refusals is put that a deviation describes. */
const REFUSAL = ['components', 'schemas', 'Refusal'];
const METHODS = new Set(['get', 'post', 'put', 'delete', 'patch']);

/** The value where it is an object, else an empty one. */
function record(value: unknown): Json {
  return isRecord(value) ? value : {};
}

/** The object under a key, put there where it is missing. */
function child(parent: Json, key: string): Json {
  const value = parent[key];
  if (isRecord(value)) return value;
  const made: Json = {};
  parent[key] = made;
  return made;
}

function find(document: Json, path: readonly string[]): Json {
  return path.reduce<Json>((node, key) => record(node[key]), document);
}

function toPointer(path: readonly string[]): string {
  return `/${path.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;
}

function operationPath(operation: string): string[] {
  const [method = '', path = ''] = operation.split(' ');
  return ['paths', path, method.toLowerCase()];
}

function deviate(document: Json, deviation: Deviation): void {
  if (deviation.of === 'refusals') place(document, REFUSAL, deviation.is);
  else if (deviation.of === 'answer') {
    const { operation, status, is } = deviation;
    place(document, [...operationPath(operation), 'responses', String(status), 'content', JSON_TYPE, 'schema'], is);
  } else {
    const schema = find(document, ['components', 'schemas', deviation.schema]);
    if (!isRecord(schema.properties)) throw new Error(`The document has no schema ${deviation.schema} of an object.`);
    if (deviation.of === 'property') schema.properties[deviation.name] = deviation.is;
    else schema.required = withoutName(schema.required, deviation.name);
  }
}

const JSON_TYPE = 'application/json';

/** Puts a value somewhere, with the objects on the way there. */
function place(document: Json, path: readonly string[], value: Schema): void {
  const last = path.at(-1) ?? '';
  path.slice(0, -1).reduce(child, document)[last] = value;
}

function withoutName(required: unknown, name: string): unknown[] {
  const names: unknown[] = Array.isArray(required) ? required : [];
  if (!names.includes(name)) throw new Error(`${name} is not required.`);
  return names.filter((one) => one !== name);
}

/** In JSON Schema 2020-12: `nullable` as a type of its own, and objects that list their properties closed to others. */
function translated(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(translated);
  if (!isRecord(node)) return node;
  const { nullable, ...rest } = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, VALUES.has(key) ? value : translated(value)]),
  );
  const isList = isRecord(rest.properties) && rest.additionalProperties === undefined;
  const schema = isList ? { ...rest, additionalProperties: false } : rest;
  if (nullable === true) return { anyOf: [schema, { type: 'null' }] };
  return isRecord(nullable) ? { ...schema, nullable } : schema;
}

/** Keywords that hold values, not schemas. */
const VALUES = new Set(['default', 'enum', 'example', 'examples', 'required']);

function describeError({ instancePath, message = '', params }: ErrorObject): string {
  const { additionalProperty, allowedValues } = record(params);
  const named = additionalProperty ?? allowedValues;
  return `${instancePath} ${message}${named === undefined ? '' : ` (${JSON.stringify(named)})`}`.trim();
}

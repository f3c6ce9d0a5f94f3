/** What is read of an OpenAPI document. */
interface Schema {
  readonly $ref?: string;
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly type?: string;
  readonly default?: unknown;
  readonly example?: unknown;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly example?: unknown;
  readonly schema?: Schema;
}

interface DocumentedOperation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly security?: readonly Readonly<Record<string, unknown>>[];
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Who calls it, as the document names the credential. */
type Sender = 'access-token' | 'api-key' | 'nobody';

/** One operation with what it takes to call it. */
export interface Operation {
  readonly method: string;
  /** With parameters as `{name}`. */
  readonly pattern: string;
  readonly sender: Sender;
  /** Paths and queries with the values of the document, one for each exchange. */
  readonly targets: readonly string[];
  /** Bodies with the examples of the document, one for each form; empty where it takes none. */
  readonly bodies: readonly Readonly<Record<string, unknown>>[];
}

function resolve(document: Document, schema: Schema): Schema[] {
  const { $ref, oneOf, allOf } = schema;
  if ($ref !== undefined) return resolve(document, document.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {});
  const inner = oneOf ?? allOf;
  return inner === undefined ? [schema] : inner.flatMap((one) => resolve(document, one));
}

const PLAIN_VALUES: Readonly<Record<string, unknown>> = { boolean: true, integer: 1, number: 1, string: 'x' };

function valueOf(document: Document, schema: Schema): unknown {
  const [resolved = {}] = resolve(document, schema);
  const { example, enum: words, type, items, properties } = resolved;
  const given = [example, schema.example, resolved.default, words?.[0]].find((value) => value !== undefined);
  if (given !== undefined) return given;
  if (type === 'array') return items === undefined ? [] : [valueOf(document, items)];
  return properties === undefined ? PLAIN_VALUES[type ?? 'string'] : exampleOf(document, properties);
}

function exampleOf(document: Document, properties: Required<Schema>['properties']): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, valueOf(document, schema)]));
}

/** All values of a parameter that the document names: of an exchange each, of others one. */
function valuesOf(document: Document, { name, schema = {}, example }: Parameter): string[] {
  const [{ enum: words = [] } = {}] = resolve(document, schema);
  const values = name === 'exchange' && words.length > 0 ? words : [example ?? valueOf(document, schema)];
  return values.map(String);
}

function targetsOf(document: Document, pattern: string, parameters: readonly Parameter[]): string[] {
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required === true)
    .map((parameter) => `${parameter.name}=${encodeURIComponent(valuesOf(document, parameter)[0] ?? '')}`)
    .join('&');
  const paths = parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce(
      (all, parameter) =>
        all.flatMap((path) =>
          valuesOf(document, parameter).map((value) => path.replace(`{${parameter.name}}`, encodeURIComponent(value))),
        ),
      [pattern],
    );
  return paths.map((path) => (query === '' ? path : `${path}?${query}`));
}

function senderOf({ security = [] }: DocumentedOperation): Sender {
  const names = security.flatMap((scheme) => Object.keys(scheme));
  if (names.includes('api-key')) return 'api-key';
  return names.includes('access-token') ? 'access-token' : 'nobody';
}

/** Every operation of a document, as it stands there. */
export function operationsOf(document: Document): Operation[] {
  return Object.entries(document.paths).flatMap(([pattern, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      pattern,
      sender: senderOf(operation),
      targets: targetsOf(document, pattern, operation.parameters ?? []),
      bodies: Object.values(operation.requestBody?.content ?? {})
        .flatMap(({ schema }) => resolve(document, schema))
        .map(({ properties = {} }) => exampleOf(document, properties)),
    })),
  );
}

/** A schema, as far as it is read here. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly example?: unknown;
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  additionalProperties?: boolean | Schema;
}

interface Media {
  readonly schema: Schema;
  readonly examples?: object;
  example?: unknown;
}

/** What the document says of one answer. */
export interface Answer {
  readonly description: string;
  readonly content?: Readonly<Record<string, Media>>;
  headers?: Readonly<Record<string, object>>;
}

/** What the document says of one call. */
export interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  responses: Readonly<Record<string, Answer>>;
  security?: readonly object[];
}

/** The OpenAPI document, as far as it is read and completed here: the types of `@nestjs/swagger` are those of version 3.0. */
export interface ApiDocument {
  readonly info: { license?: { readonly name: string; readonly identifier: string } };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    headers?: object;
    examples?: object;
  };
}

/** The schema itself, where it is a reference to one. */
export function resolve({ components }: ApiDocument, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const found = components.schemas[schema.$ref.split('/').at(-1) ?? ''];
  if (found === undefined) throw new Error(`The document has no ${schema.$ref}.`);
  return found;
}

/** A schema, as far as it is read here. */
export interface Schema {
  readonly $ref?: string;
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  additionalProperties?: boolean | Schema;
}

interface Body {
  readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
}

/** What the document says of one call. */
export interface Operation {
  readonly requestBody?: Body;
  responses: Readonly<Record<string, object>>;
}

/** The OpenAPI document, as far as it is read and completed here: what the packages' own types say of it is that of version 3.0. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** The schema itself, where it is a reference to one. */
export function resolve({ components }: ApiDocument, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const found = components.schemas[schema.$ref.split('/').at(-1) ?? ''];
  if (found === undefined) throw new Error(`The document has no ${schema.$ref}.`);
  return found;
}

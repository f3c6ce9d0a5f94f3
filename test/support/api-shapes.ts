interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly format?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface Operation {
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { schema: Schema }>> }>>;
}

const CANONICAL = /^(0|-?[1-9]\d*|-?\d+\.\d*[1-9])$/;
const SUPERFLUOUS = /^-?0\d|^-0$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

function typesOf({ type }: Schema): readonly (string | undefined)[] {
  return [type].flat();
}

function isNullable(schema: Schema): boolean {
  return [schema, ...(schema.anyOf ?? [])].some((one) => typesOf(one).includes('null'));
}

/** What the service's own OpenAPI document says of its answers, held against answers (contract.md 1, unified-schema.md 1). */
export class ApiShapes {
  private constructor(private readonly document: Document) {}

  static async of(url: string): Promise<ApiShapes> {
    const response = await fetch(`${url}/docs/openapi.json`);
    return new ApiShapes((await response.json()) as Document);
  }

  /** Everything in which a 200 differs from what is documented: fields missing, unknown, of another type or form. */
  faults(method: string, path: string, body: unknown): string[] {
    const operation = this.document.paths[path]?.[method.toLowerCase()];
    const schema = operation?.responses['200']?.content?.['application/json']?.schema;
    return schema === undefined ? [`${method} ${path} is not documented`] : this.#check(schema, body, '$');
  }

  /** `GET /path` of everything below a prefix, sorted. */
  operationsUnder(prefix: string): string[] {
    return Object.entries(this.document.paths)
      .filter(([path]) => path.startsWith(prefix))
      .flatMap(([path, operations]) => Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`))
      .sort();
  }

  #resolve(schema: Schema): Schema {
    const name = schema.$ref?.replace('#/components/schemas/', '');
    const [combined] = schema.allOf ?? schema.anyOf?.filter(({ type }) => type !== 'null') ?? [];
    const inner = name === undefined ? combined : this.document.components.schemas[name];
    return inner === undefined ? schema : this.#resolve(inner);
  }

  #check(raw: Schema, value: unknown, at: string): string[] {
    if (value === null) return isNullable(raw) ? [] : [`${at} is null`];
    const schema = this.#resolve(raw);
    if (schema.enum !== undefined && !schema.enum.includes(value)) return [`${at} is none of ${schema.enum.join()}`];
    switch (typesOf(schema).find((type) => type !== 'null')) {
      case 'array':
        return this.#checkList(schema, value, at);
      case 'object':
        return this.#checkObject(schema, value, at);
      case 'string':
        return typeof value === 'string' ? checkText(schema, value, at) : [`${at} is no string`];
      case 'number':
      case 'integer':
        return typeof value === 'number' ? [] : [`${at} is no number`];
      case 'boolean':
        return typeof value === 'boolean' ? [] : [`${at} is no boolean`];
      default:
        return [`${at} has no documented type`];
    }
  }

  #checkList({ items = {}, minItems = 0, maxItems = Infinity }: Schema, value: unknown, at: string): string[] {
    if (!Array.isArray(value)) return [`${at} is no list`];
    const sized = value.length >= minItems && value.length <= maxItems ? [] : [`${at} has ${value.length} items`];
    return [...sized, ...value.flatMap((item: unknown, index) => this.#check(items, item, `${at}[${index}]`))];
  }

  #checkObject({ properties = {}, required = [] }: Schema, value: unknown, at: string): string[] {
    if (typeof value !== 'object' || Array.isArray(value) || value === null) return [`${at} is no object`];
    const fields = new Map<string, unknown>(Object.entries(value));
    const missing = required.filter((name) => !fields.has(name)).map((name) => `${at}.${name} is missing`);
    return [
      ...missing,
      ...[...fields].flatMap(([name, inner]) => {
        const known = properties[name];
        return known === undefined ? [`${at}.${name} is not documented`] : this.#check(known, inner, `${at}.${name}`);
      }),
    ];
  }
}

function checkText({ pattern, format }: Schema, value: string, at: string): string[] {
  if (format === 'date-time') return TIME.test(value) ? [] : [`${at} is no time: ${value}`];
  if (pattern === undefined) return [];
  if (!new RegExp(pattern).test(value)) return [`${at} does not fit ${pattern}: ${value}`];
  const isDecimal = pattern.includes('\\d');
  return isDecimal && (SUPERFLUOUS.test(value) || !CANONICAL.test(value)) ? [`${at} is not canonical: ${value}`] : [];
}

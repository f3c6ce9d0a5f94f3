import type { z } from 'zod';
import type { KnownFields, PublicRoute } from '../../exchanges/drift-sheet.js';
import { type AnswerShape, shapeOf } from './answer-shape.js';
import { clean, NameList } from './findings.js';

/** How an answer differs from what we know. Places are written `markets[].ticker`. */
export interface Differences {
  /** Whether we cannot use such an answer. */
  readonly broken: boolean;
  readonly unknown: string[];
  readonly missing: string[];
  readonly values: string[];
}

type Fields = Extract<AnswerShape, { kind: 'object' }>['fields'];
type Body = Readonly<Record<string, unknown>>;

/** All objects of one path: which of the fields that we expect some of them have. */
interface SeenObjects {
  readonly fields: Fields;
  readonly known: KnownFields;
  readonly present: Set<string>;
}

/** So many entries of a list are compared. */
const MOST_ENTRIES = 1_000;
/** Of a word that is no value of an enumeration. */
const LONGEST_VALUE = 40;

/** Compares one answer with the schema that we read it with and with the fields that are known. */
class Comparison {
  readonly #unknown = new NameList();
  readonly #missing = new NameList();
  readonly #values = new NameList();
  readonly #valuePlaces = new Set<string>();
  readonly #seen = new Map<string, SeenObjects>();
  #broken = false;

  walk(shape: AnswerShape, value: unknown, at: string, known: KnownFields): void {
    if (shape.kind === 'list' && Array.isArray(value)) {
      for (const entry of value.slice(0, MOST_ENTRIES)) this.walk(shape.entry, entry, `${at}[]`, known);
    } else if (shape.kind === 'object' && isObject(value)) {
      this.#object(shape.fields, value, at, known);
    } else if (shape.kind === 'enum') {
      this.#checkValue([...shape.values], value, at);
    }
  }

  /**
   * Notes what the schema of the whole answer refuses: such an answer is broken, whether a field is absent or something
   * else is wrong.
   */
  refuse(issues: readonly z.core.$ZodIssue[]): void {
    this.#broken = this.#broken || issues.length > 0;
    for (const { path } of issues) {
      const at = placeOf(path);
      if (!this.#valuePlaces.has(at)) this.#missing.add(at);
    }
  }

  result(): Differences {
    for (const [at, seen] of this.#seen) this.#absent(at, seen);
    return {
      broken: this.#broken,
      unknown: this.#unknown.toArray(),
      missing: this.#missing.toArray(),
      values: this.#values.toArray(),
    };
  }

  #object(fields: Fields, value: Body, at: string, known: KnownFields): void {
    const seen = this.#seenAt(at, fields, known);
    for (const name of Object.keys(value)) {
      const inner = value[name];
      const field = fields.get(name);
      const values = own(known.values, name);
      seen.present.add(name);
      if (field !== undefined) this.walk(field.shape, inner, join(at, name), own(known.within, name) ?? {});
      else if (known.unused?.includes(name) !== true) this.#unknown.add(join(at, clean(name)));
      if (values !== undefined) this.#checkValue(values, inner, join(at, name));
    }
    for (const [name, { required }] of fields) {
      if (required && value[name] === undefined) this.#missing.add(join(at, name));
    }
  }

  #seenAt(at: string, fields: Fields, known: KnownFields): SeenObjects {
    const found = this.#seen.get(at);
    if (found !== undefined) return found;
    const seen = { fields, known, present: new Set<string>() };
    this.#seen.set(at, seen);
    return seen;
  }

  /** A field that we read and that may be absent is only missing where no object of the answer has it. */
  #absent(at: string, { fields, known: { needed = [], sometimes = [] }, present }: SeenObjects): void {
    for (const either of needed) {
      if (either.split('|').some((name) => present.has(name))) continue;
      this.#broken = true;
      this.#missing.add(join(at, either));
    }
    const judged = new Set([...needed.flatMap((either) => either.split('|')), ...sometimes, ...present]);
    for (const [name, { required }] of fields) {
      if (!required && !judged.has(name)) this.#missing.add(join(at, name));
    }
  }

  #checkValue(values: readonly unknown[], value: unknown, at: string): void {
    if (typeof value !== 'string' || values.includes(value)) return;
    this.#valuePlaces.add(at);
    this.#values.add(`${at}: ${clean(value, LONGEST_VALUE)}`);
  }
}

/** How an answer differs from the schema and the known fields of its route. */
export function differencesOf(
  { schema, known = {} }: Pick<PublicRoute, 'schema' | 'known'>,
  body: unknown,
): Differences {
  const comparison = new Comparison();
  comparison.walk(shapeOf(schema), body, '', known);
  comparison.refuse(schema.safeParse(body).error?.issues ?? []);
  return comparison.result();
}

function isObject(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function own<T>(table: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return table !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
}

function join(at: string, name: string): string {
  return at === '' ? name : `${at}.${name}`;
}

/** `['markets', 3, 'ticker']` as `markets[].ticker`; the answer itself is `(answer)`. */
function placeOf(path: readonly PropertyKey[]): string {
  const text = path.reduce<string>(
    (at, part) => (typeof part === 'number' ? `${at}[]` : join(at, clean(String(part)))),
    '',
  );
  return text === '' ? '(answer)' : text;
}

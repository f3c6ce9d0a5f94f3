import { type Answer, type ApiDocument, resolve, type Schema } from './document.js';

const PLAIN_VALUES: Readonly<Record<string, unknown>> = { boolean: true, integer: 1, number: 1 };

/** Makes examples of the members that are always there. */
function membersOf(document: ApiDocument, { properties = {}, required = [] }: Schema): object {
  const members = Object.entries(properties).filter(([name]) => required.includes(name));
  return Object.fromEntries(members.map(([name, member]) => [name, exampleOf(document, member)]));
}

/** Returns the example of a schema, else the first word of its enumeration; undefined where it has neither. */
function statedBy(outer: Schema, { example, enum: words }: Schema): unknown {
  return [outer.example, example, words?.[0]].find((value) => value !== undefined);
}

/** Makes the example of a schema of the examples of its members. Throws where a text has none. */
function exampleOf(document: ApiDocument, outer: Schema): unknown {
  const schema = resolve(document, outer);
  const stated = statedBy(outer, schema);
  if (stated !== undefined) return stated;
  const { type, items, oneOf, allOf, anyOf, properties } = schema;
  const [inner] = [oneOf, allOf, anyOf].flatMap((some) => some ?? []);
  if (inner !== undefined) return exampleOf(document, inner);
  if (properties !== undefined) return membersOf(document, schema);
  if (Array.isArray(type)) return null;
  if (items !== undefined) return (items.oneOf ?? [items]).map((item) => exampleOf(document, item));
  const value = PLAIN_VALUES[String(type)];
  if (value === undefined) throw new Error(`No example can be made of ${JSON.stringify(outer)}.`);
  return value;
}

/** Gives an answer an example where it has none. */
export function exemplify(document: ApiDocument, { content = {} }: Answer): void {
  for (const media of Object.values(content)) {
    if (media.examples === undefined) media.example ??= exampleOf(document, media.schema);
  }
}

import { z } from 'zod';
import { noteOf } from '../../exchanges/wire-notes.js';

/** One field that we read. */
interface FieldShape {
  readonly shape: AnswerShape;
  /** Whether the whole answer is refused without it. */
  readonly required: boolean;
}

/** What a schema reads of an answer, as far as `npm run drift` compares it. */
export type AnswerShape =
  | { readonly kind: 'object'; readonly fields: ReadonlyMap<string, FieldShape> }
  | { readonly kind: 'list'; readonly entry: AnswerShape }
  | { readonly kind: 'enum'; readonly values: ReadonlySet<unknown> }
  | { readonly kind: 'other' };

const OTHER: AnswerShape = { kind: 'other' };

/** Walks a schema: that which checks the answers is the only list of the fields that we read. */
export function shapeOf(schema: z.core.$ZodType): AnswerShape {
  const note = noteOf(schema);
  if (note?.entry !== undefined) return { kind: 'list', entry: shapeOf(note.entry) };
  if (note?.values !== undefined) return { kind: 'enum', values: new Set(note.values) };
  if (schema instanceof z.ZodPipe) return shapeOf(readSide(schema));
  if (isWrapper(schema)) return shapeOf(schema.def.innerType);
  return structureOf(schema) ?? valuesOf(schema) ?? OTHER;
}

function structureOf(schema: z.core.$ZodType): AnswerShape | null {
  if (schema instanceof z.ZodObject) return objectShape(schema);
  if (schema instanceof z.ZodArray) return { kind: 'list', entry: shapeOf(schema.element) };
  if (schema instanceof z.ZodUnion) return schema.options.map(shapeOf).reduce(either);
  if (schema instanceof z.ZodIntersection) return both(shapeOf(schema.def.left), shapeOf(schema.def.right));
  return null;
}

function valuesOf(schema: z.core.$ZodType): AnswerShape | null {
  if (schema instanceof z.ZodEnum) return { kind: 'enum', values: new Set<unknown>(schema.options) };
  return schema instanceof z.ZodLiteral ? { kind: 'enum', values: schema.values } : null;
}

type Wrapper =
  z.ZodOptional | z.ZodNullable | z.ZodDefault | z.ZodPrefault | z.ZodCatch | z.ZodReadonly | z.ZodNonOptional;

function isWrapper(schema: z.core.$ZodType): schema is Wrapper {
  return 'innerType' in schema._zod.def;
}

/** Returns the side of a pipe that says what is on the wire: the first, or the second where the first takes anything. */
function readSide({ def }: z.ZodPipe): z.core.$ZodType {
  return def.in instanceof z.ZodTransform || def.in instanceof z.ZodUnknown ? def.out : def.in;
}

function objectShape(schema: z.ZodObject): AnswerShape {
  const shape: z.core.$ZodShape = schema.shape;
  const fields = Object.entries(shape).map(([name, field]): [string, FieldShape] => {
    const required = !z.object({ [name]: field }).safeParse({}).success;
    return [name, { shape: shapeOf(field), required }];
  });
  return { kind: 'object', fields: new Map(fields) };
}

/** Two objects in one: what either requires is required. */
function both(one: AnswerShape, other: AnswerShape): AnswerShape {
  return merged(one, other, (a, b) => a || b) ?? OTHER;
}

/**
 * The shape of an answer that has one of two shapes: a field is required only if both require it. Two enumerations
 * become one; an enumeration beside anything else is dropped.
 */
function either(one: AnswerShape, other: AnswerShape): AnswerShape {
  if (one.kind === 'enum' && other.kind === 'enum') {
    return { kind: 'enum', values: new Set([...one.values, ...other.values]) };
  }
  const objects = merged(one, other, (a, b) => a && b);
  return objects ?? [one, other].find(({ kind }) => kind === 'object' || kind === 'list') ?? OTHER;
}

function merged(
  one: AnswerShape,
  other: AnswerShape,
  isRequired: (a: boolean, b: boolean) => boolean,
): AnswerShape | null {
  if (one.kind !== 'object' || other.kind !== 'object') return null;
  const fields = new Map<string, FieldShape>();
  for (const name of new Set([...one.fields.keys(), ...other.fields.keys()])) {
    const [a, b] = [one.fields.get(name), other.fields.get(name)];
    const found = a ?? b;
    if (found === undefined) continue;
    const shape = a !== undefined && b !== undefined ? either(a.shape, b.shape) : found.shape;
    fields.set(name, { shape, required: isRequired(a?.required === true, b?.required === true) });
  }
  return { kind: 'object', fields };
}

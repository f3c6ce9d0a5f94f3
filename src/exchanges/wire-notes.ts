import { z } from 'zod';

/** What a schema does not show of itself. */
interface WireNote {
  /** The schema of the entries, of a list that checks them itself. */
  readonly entry?: z.ZodType;
  /** The texts that are known, of an enumeration that takes any. */
  readonly values?: readonly string[];
}

const NOTES = new WeakMap<z.core.$ZodType, WireNote>();

/** Keeps a note about a schema for `npm run drift` (contract.md 8.1), which walks the schemas; returns the schema. */
export function noted<Schema extends z.ZodType>(schema: Schema, note: WireNote): Schema {
  NOTES.set(schema, note);
  return schema;
}

/** The note about a schema; undefined where there is none. */
export function noteOf(schema: z.core.$ZodType): WireNote | undefined {
  return NOTES.get(schema);
}

/**
 * Reads a text that is one of `values`. A text that the exchange has added since is read as `otherwise`, so that it spoils no
 * answer, and `npm run drift` reports it.
 */
export function openEnum<const Value extends string, const Otherwise>(
  values: readonly Value[],
  otherwise: Otherwise,
): z.ZodType<Value | Otherwise> {
  const known = new Map<string, Value>(values.map((value) => [value, value]));
  const schema = z.string().transform((text) => known.get(text) ?? otherwise);
  return noted(schema, { values });
}

import type { z } from 'zod';

/* Frames of the exchanges' streams, read without an error: what cannot be read says something by that. */

/** The content of a text; undefined where that is no JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A part in the form of a schema; null where it has another. */
export function readAs<Schema extends z.ZodType>(schema: Schema, part: unknown): z.output<Schema> | null {
  return schema.safeParse(part).data ?? null;
}

/** One event or several of a frame, by the schema of a list of events; null where it is neither. */
export function eventsOf(text: string, list: z.ZodType<readonly unknown[]>): readonly unknown[] | null {
  const content = jsonOf(text);
  if (content === undefined) return null;
  return Array.isArray(content) ? readAs(list, content) : [content];
}

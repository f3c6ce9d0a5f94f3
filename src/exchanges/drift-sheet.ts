import type { z } from 'zod';

/** What is known of the fields of one object in an answer, beside what its schema reads. */
export interface KnownFields {
  /** Fields that we cannot do without although the schema does; `a|b` is either of them. */
  readonly needed?: readonly string[];
  /** Fields that we read and that answers may leave out. */
  readonly sometimes?: readonly string[];
  /** Fields that were there when the fact sheet was checked and that we do not use. */
  readonly unused?: readonly string[];
  /** The texts that a field is known to have, where its schema takes any or it is unused. */
  readonly values?: Readonly<Record<string, readonly string[]>>;
  /** The same of the objects in a field, be it an object or a list of them. */
  readonly within?: Readonly<Record<string, KnownFields>>;
}

/** Finds a text in an answer that nothing has checked: the place as `markets[].ticker`, or a function. */
export type Finder = string | ((body: unknown) => string | undefined);

/**
 * One public route that the adapter reads. In the segments of the path and in the values of the query, `{name}` stands for what
 * `finds` of another route found; `{now}` and `{day_ago}` are Unix seconds.
 */
export interface PublicRoute<Setting extends string = string> {
  /** The setting that holds its base address. */
  readonly base: Setting;
  /** Below the base address, such as `/markets/{ticker}`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** What the adapter reads the answer with. */
  readonly schema: z.ZodType;
  readonly known?: KnownFields;
  /** Names for what other routes need of this answer. */
  readonly finds?: Readonly<Record<string, Finder>>;
  /** Counts the markets of the page: the place of their list, and the field that they are counted by. */
  readonly counts?: { readonly list: string; readonly by: string };
}

/** All public routes that an adapter reads, for `npm run drift` (contract.md 8.1). */
export interface DriftSheet<Setting extends string = string> {
  readonly routes: readonly PublicRoute<Setting>[];
}

/** Names in a text, parted by white space. */
export function names(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

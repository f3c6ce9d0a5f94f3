import type { Finder, PublicRoute } from '../../exchanges/drift-sheet.js';

/** Longer ones are no ids of any exchange. */
const LONGEST_ID = 200;
/** So many entries of a list are searched. */
const MOST_ENTRIES = 1_000;

/** The first text or whole number at a place such as `markets[].ticker`; undefined where there is none. */
function firstAt(body: unknown, place: string): string | undefined {
  const [step = '', ...rest] = place
    .replaceAll('[]', '.[]')
    .split('.')
    .filter((part) => part !== '');
  if (step === '') return idOf(body);
  if (step === '[]') return Array.isArray(body) ? firstIn(body, rest.join('.')) : undefined;
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, step)) return undefined;
  return firstAt((body as Readonly<Record<string, unknown>>)[step], rest.join('.'));
}

function firstIn(entries: readonly unknown[], place: string): string | undefined {
  for (const entry of entries.slice(0, MOST_ENTRIES)) {
    const found = firstAt(entry, place);
    if (found !== undefined) return found;
  }
  return undefined;
}

function idOf(value: unknown): string | undefined {
  if (Number.isSafeInteger(value)) return String(value);
  return typeof value === 'string' && value !== '' && value.length <= LONGEST_ID ? value : undefined;
}

/** All entries of the list at a place such as `markets`. */
export function listAt(body: unknown, place: string): readonly unknown[] {
  const list = place === '' ? body : (body as Readonly<Record<string, unknown>> | null)?.[place];
  return Array.isArray(list) ? list.slice(0, MOST_ENTRIES) : [];
}

export function find(body: unknown, finder: Finder): string | undefined {
  return typeof finder === 'string' ? firstAt(body, finder) : idOf(finder(body));
}

/** Every `{name}` in a route. */
export function namesIn({ path, query = {} }: Pick<PublicRoute, 'path' | 'query'>): string[] {
  return [path, ...Object.values(query)].flatMap((text) =>
    [...text.matchAll(/\{(\w{1,40})\}/g)].map(([, name = '']) => name),
  );
}

/** A text with what was found for its names, each of which is known. */
export function filled(text: string, ids: ReadonlyMap<string, string>, encode: (id: string) => string): string {
  return text.replace(/\{(\w{1,40})\}/g, (_, name: string) => encode(ids.get(name) ?? ''));
}

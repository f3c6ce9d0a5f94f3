import { AppError } from '../errors/app-error.js';

/** Characters of a path segment as RFC 3986 3.3 has them. */
const PATH = /^(?:\/(?:[A-Za-z0-9\-._~!$&'()*+,;=:@]|%[0-9A-Fa-f]{2})+)+$/;
/** What a URL parser reads as `.` or `..`. */
const DOTS = /^(?:\.|%2e){1,2}$/i;
const SOME_DOTS = /\/(?:\.|%2e){1,2}(?:\/|$)/i;

function encode(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    throw new AppError('bad_request', 'The request holds text that is not Unicode.');
  }
}

function encodeSegment(segment: string): string {
  if (segment === '' || DOTS.test(segment)) {
    throw new AppError('bad_request', 'The request holds an identifier that cannot exist.');
  }
  return encode(segment);
}

/**
 * A path from a fixed template, each value one percent-encoded segment: pathOf`/markets/${ticker}/orderbook` (S-48).
 * Throws `bad_request` for an empty value, `.` and `..`. A value must be a whole segment, between slashes.
 */
export function pathOf(template: TemplateStringsArray, ...segments: string[]): string {
  const path = String.raw(template, ...segments.map(encodeSegment));
  const alone = segments.every((_, i) => template[i]?.endsWith('/') && /^(?:\/|$)/.test(template[i + 1] ?? ''));
  if (!alone) throw new TypeError('a value in a path template must be a whole segment');
  return path;
}

/**
 * Returns the target for the request line: the base address's own path, then `path`, then the query. Throws TypeError for a path
 * that could lead anywhere else than below the base (S-48), `bad_request` for a query that is not Unicode.
 */
export function requestTarget(
  basePath: string,
  path: string,
  query: readonly (readonly [name: string, value: string])[] = [],
): string {
  const leadsBelow = PATH.test(path) && !SOME_DOTS.test(path);
  if (!leadsBelow) throw new TypeError('the path of an upstream call must be absolute, encoded and without dots');
  const pairs = query.map(([name, value]) => `${encode(name)}=${encode(value)}`);
  return `${basePath}${path}${pairs.length > 0 ? '?' : ''}${pairs.join('&')}`;
}

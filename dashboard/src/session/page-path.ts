const ROOT = '/dashboard';

/**
 * A page of this dashboard, as its address goes on behind `/dashboard`; the overview for anything else, such as an address that
 * leads out of it by `..`.
 */
export function pagePath(wanted: unknown): string {
  if (typeof wanted !== 'string' || !/^\/(?![/\\])/.test(wanted)) return '/';
  const inside = wanted.startsWith(ROOT) ? wanted : ROOT + wanted;
  if (!URL.canParse(inside, location.origin)) return '/';
  const { pathname, search, hash } = new URL(inside, location.origin);
  if (pathname !== ROOT && !pathname.startsWith(`${ROOT}/`)) return '/';
  return `${pathname.slice(ROOT.length) || '/'}${search}${hash}`;
}

import type { ErrorCode } from '../platform/errors/error-codes.js';
import type { Access } from './access.metadata.js';
import type { RouteFacts } from './route-table.js';

/** The route that is never refused: past its limit it answers as usual and sends no mail (contract.md 4). */
const NEVER_REFUSED = '/auth/forgot-password';

/** A body is looked at before anything else, also where a route takes none. */
function errorsOfInput({ method, path }: RouteFacts): ErrorCode[] {
  return [
    'bad_request',
    ...(method === 'GET' ? [] : (['payload_too_large', 'unsupported_media_type'] as const)),
    ...(path.includes(':') ? (['not_found'] as const) : []),
  ];
}

/** A key may lack the scope, or be a bot's that comes from elsewhere than it may. */
function errorsOfAccess(access: Access | undefined): ErrorCode[] {
  if (access === undefined || access.kind === 'public') return [];
  return access.kind === 'api-key' ? ['unauthorized', 'forbidden'] : ['unauthorized'];
}

/** Whether the calls of a route are counted in a limit (contract.md 3). */
export function isCounted({ method, access }: RouteFacts): boolean {
  return access !== undefined && (access.kind !== 'public' || method === 'POST');
}

/** Public reads get along without the database. */
function needsDatabase({ method, access }: RouteFacts): boolean {
  return access?.kind !== 'public' || method === 'POST';
}

/**
 * Every error that a route may answer: what the order of checks (contract.md 3) does to any route of its kind, and what its own
 * decorators name. 405 is missing, for a route that is documented is one whose method is declared.
 */
export function routeErrors(route: RouteFacts): ErrorCode[] {
  return [
    ...errorsOfInput(route),
    ...errorsOfAccess(route.access),
    ...(isCounted(route) && route.path !== NEVER_REFUSED ? (['rate_limited'] as const) : []),
    ...(needsDatabase(route) ? (['service_unavailable'] as const) : []),
    'internal_error',
    ...route.errors,
  ];
}

import type { IncomingMessage } from 'node:http';
import type { Access } from '../platform/logging/access-log.js';
import type { Principal } from './principal.js';
import { patternOf, type RoutedRequest } from './routed-request.js';

/** A request of which the caller may be known. */
export type IdentifiedRequest = IncomingMessage & RoutedRequest & { user?: Principal | undefined };

/** What the access log says of a request that was answered: its route, and who made it. */
export function accessFacts(request: IdentifiedRequest): Pick<Access, 'route' | 'user_id' | 'key_prefix'> {
  const { user } = request;
  return {
    route: patternOf(request),
    user_id: user?.userId,
    key_prefix: user?.kind === 'api-key' ? user.keyPrefix : undefined,
  };
}

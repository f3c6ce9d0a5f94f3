import type { Found } from '../platform/http/path-index.js';
import type { RouteFacts } from './route-table.js';

/** A request of which the routes of its path may be known. */
export interface RoutedRequest {
  found?: Found<RouteFacts> | undefined;
}

/** What stands for all paths that are no route, of which clients can make as many as they like. */
const NO_ROUTE = 'other';

/** The pattern of the path of a request, as `/{exchange}/orders`, or `other`; for metrics and logs. */
export function patternOf({ found }: RoutedRequest): string {
  return found?.values[0]?.pattern ?? NO_ROUTE;
}

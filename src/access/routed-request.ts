import type { Found } from '../platform/http/path-index.js';
import type { RouteFacts } from './route-table.js';

/** A request of which the routes of its path may be known. */
export interface RoutedRequest {
  found?: Found<RouteFacts> | undefined;
}

/** The one label of all paths that are no route: clients can invent any number of such paths. */
const NO_ROUTE = 'other';

/** The pattern of the path of a request, as `/{exchange}/orders`, or `other`; for metrics and logs. */
export function patternOf({ found }: RoutedRequest): string {
  return found?.values[0]?.pattern ?? NO_ROUTE;
}

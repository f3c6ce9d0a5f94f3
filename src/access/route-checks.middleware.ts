import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { AppError, NO_SUCH_PATH } from '../platform/errors/app-error.js';
import type { Found } from '../platform/http/path-index.js';
import type { RoutedRequest } from './routed-request.js';
import type { RouteFacts, RouteTable } from './route-table.js';

const READ = ['GET', 'HEAD'];

/** Paths that the route table does not have: whole folders of files, and documents by their exact paths. */
export interface Elsewhere {
  readonly folders: readonly string[];
  readonly documents: readonly string[];
}

/** What answers a route; undefined where that is not known. */
type HandlerOf = (method: string, path: string) => RequestHandler | undefined;

/** What the first step found, for the others. */
type FoundRequest = Request & RoutedRequest;

function routeFor({ found, method }: FoundRequest): RouteFacts | undefined {
  const declared = method === 'HEAD' ? 'GET' : method;
  return found?.values.find((route) => route.method === declared);
}

function allowedAt(routes: readonly RouteFacts[]): string[] {
  return routes.flatMap(({ method }) => (method === 'GET' ? READ : [method])).sort();
}

/** As Express does it: `strictRequests` has seen that every percent code can be read. */
function decoded(segment: string): string {
  return segment.includes('%') ? decodeURIComponent(segment) : segment;
}

/** Without a prototype, as those of Express. */
function parametersOf({ parameters }: RouteFacts, taken: readonly string[]): Record<string, string> {
  const values = Object.create(null) as Record<string, string>;
  for (const [index, name] of parameters.entries()) values[name] = decoded(taken[index] ?? '');
  return values;
}

/**
 * Two steps of the order of checks (contract.md 3), for every path but files in the folders of `elsewhere`: an unknown
 * path is 404 before the body is read, an undeclared method is 405 with `Allow` before the credential is looked at. The last
 * step, `answer`, calls what answers the route; what it does not know goes on to Express (S-44).
 */
export function routeChecks(
  table: RouteTable,
  { folders, documents }: Elsewhere,
  handlerOf: HandlerOf,
): { readonly path: RequestHandler; readonly method: RequestHandler; readonly answer: RequestHandler } {
  const folderOf = (path: string): string | undefined =>
    folders.find((prefix) => path === prefix || path.startsWith(`${prefix}/`) || path.startsWith(`${prefix}-`));
  // A page is no route of an exchange: `/dashboard/markets` is not that of `/:exchange/markets`.
  const isPageIn = (folder: string, { method }: Request, found: Found<RouteFacts>): boolean =>
    READ.includes(method) && found.values.some(({ path }) => !path.startsWith(folder));
  const methodsOf = ({ found, path }: FoundRequest): readonly string[] | null => {
    if (found !== undefined) return allowedAt(found.values);
    return documents.includes(path) ? READ : null;
  };
  return {
    path: (request: FoundRequest, _response: Response, next: NextFunction): void => {
      const found = table.find(request.path);
      const folder = folderOf(request.path);
      if (found !== null && !(folder !== undefined && isPageIn(folder, request, found))) request.found = found;
      const known = found !== null || folder !== undefined;
      next(known ? undefined : new AppError('not_found', NO_SUCH_PATH));
    },
    method: (request: FoundRequest, response: Response, next: NextFunction): void => {
      const allowed = routeFor(request) === undefined ? methodsOf(request) : null;
      if (allowed === null || allowed.includes(request.method)) {
        next();
        return;
      }
      response.setHeader('Allow', allowed.join(', '));
      next(new AppError('method_not_allowed', `This address answers ${allowed.join(', ')} only.`));
    },
    answer: (request: FoundRequest, response: Response, next: NextFunction): void => {
      const route = routeFor(request);
      const handler = route === undefined ? undefined : handlerOf(route.method, route.path);
      if (route === undefined || handler === undefined) {
        next();
        return;
      }
      request.params = parametersOf(route, request.found?.taken ?? []);
      Promise.resolve(handler(request, response, next)).catch(next);
    },
  };
}

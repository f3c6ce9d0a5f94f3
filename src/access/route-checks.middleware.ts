import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { AppError } from '../platform/errors/app-error.js';
import type { RouteTable } from './route-table.js';

const READ = ['GET', 'HEAD'];

/** What the route table does not know: whole folders of files, and documents of which the exact paths are known. */
export interface Elsewhere {
  readonly folders: readonly string[];
  readonly documents: readonly string[];
}

type Methods = WeakMap<Request, readonly string[]>;

/**
 * Two steps of the order of checks (contract.md 3), for every path but files under the folders `elsewhere`: an unknown
 * path is 404 before the body is read, an undeclared method is 405 with `Allow` before the credential is looked at.
 */
export function routeChecks(
  table: RouteTable,
  { folders, documents }: Elsewhere,
): { readonly path: RequestHandler; readonly method: RequestHandler } {
  const methods: Methods = new WeakMap();
  const isElsewhere = (path: string): boolean =>
    folders.some((prefix) => path === prefix || path.startsWith(`${prefix}/`) || path.startsWith(`${prefix}-`));
  return {
    path: (request: Request, _response: Response, next: NextFunction): void => {
      const allowed = table.allowedMethods(request.path) ?? (documents.includes(request.path) ? READ : null);
      if (allowed !== null) methods.set(request, allowed);
      const known = allowed !== null || isElsewhere(request.path);
      next(known ? undefined : new AppError('not_found', 'There is nothing at this address.'));
    },
    method: (request: Request, response: Response, next: NextFunction): void => {
      const allowed = methods.get(request);
      if (allowed === undefined || allowed.includes(request.method)) {
        next();
        return;
      }
      response.setHeader('Allow', allowed.join(', '));
      next(new AppError('method_not_allowed', `This address answers ${allowed.join(', ')} only.`));
    },
  };
}

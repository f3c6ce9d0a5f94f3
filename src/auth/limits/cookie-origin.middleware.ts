import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Settings } from '../../platform/config/settings.js';
import { AppError } from '../../platform/errors/app-error.js';

/** The calls that the browser's cookie speaks for. */
const COOKIE_CALLS = new Set(['/auth/refresh', '/auth/logout']);

/** Cookie calls from another site are refused before anything else is looked at (S-20, DESIGN 4). */
export function cookieOrigin(settings: Settings): RequestHandler {
  const allowed = new Set(settings.corsOrigins);
  return (request: Request, _response: Response, next: NextFunction): void => {
    const { origin } = request.headers;
    const isForeign =
      (origin !== undefined && !allowed.has(origin)) || request.headers['sec-fetch-site'] === 'cross-site';
    const refused = COOKIE_CALLS.has(request.path) && isForeign;
    next(refused ? new AppError('forbidden', 'This call may not come from another site.') : undefined);
  };
}

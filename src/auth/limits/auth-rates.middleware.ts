import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { networkOf } from '../../platform/limits/client-network.js';
import { rateHeaders, rateLimited } from '../../platform/limits/rate.js';
import { currentRequest } from '../../platform/http/request-context.js';
import type { AuthRates, CountedCall } from './auth-rates.js';
import type { SilentLimit } from './silent-limit.js';

const LOG_OUT = '/auth/logout';
const FORGOT_PASSWORD = '/auth/forgot-password';

function isLimited(request: Request): boolean {
  return request.method === 'POST' && request.path.startsWith('/auth/') && request.path !== LOG_OUT;
}

/**
 * The limit per client address on the public `POST /auth/*` (DESIGN 2); asking for a reset is never refused, it just sends
 * nothing (DESIGN 4).
 */
export function authRates(rates: AuthRates, silent: SilentLimit): RequestHandler {
  const decide = (request: Request, response: Response, { policy, state }: CountedCall): unknown => {
    for (const [name, value] of Object.entries(rateHeaders(policy, state))) response.setHeader(name, value);
    if (!state.isExceeded) return undefined;
    if (request.path !== FORGOT_PASSWORD) return rateLimited(state);
    silent.mark(request);
    return undefined;
  };

  return (request: Request, response: Response, next: NextFunction): void => {
    if (!rates.isOn || !isLimited(request)) {
      next();
      return;
    }
    rates.count(request.path, networkOf(currentRequest()?.ip ?? '')).then((counted) => {
      next(decide(request, response, counted));
    }, next);
  };
}

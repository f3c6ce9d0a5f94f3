import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Settings } from '../../platform/config/settings.js';
import { networkOf } from '../../platform/limits/client-network.js';
import { rateHeaders, rateLimited, type RatePolicy, type RateState } from '../../platform/limits/rate.js';
import type { RequestRates } from '../../platform/limits/request-rates.js';
import type { SilentLimit } from './silent-limit.js';

const REFRESH_FACTOR = 10;
const LOG_OUT = '/auth/logout';
const REFRESH = '/auth/refresh';
const FORGOT_PASSWORD = '/auth/forgot-password';

function isLimited(request: Request): boolean {
  return request.method === 'POST' && request.path.startsWith('/auth/') && request.path !== LOG_OUT;
}

/**
 * The limit per client address on the public `POST /auth/*` (DESIGN 2): refreshing has a bucket of its own, ten times as
 * large; asking for a reset is never refused, it just sends nothing (DESIGN 4).
 */
export function authRates(settings: Settings, rates: RequestRates, silent: SilentLimit): RequestHandler {
  const { limit, windowMs } = settings.rateLimitAuth;
  const common: RatePolicy = { name: 'auth', limit, windowMs };
  const refreshing: RatePolicy = { name: 'auth', limit: limit * REFRESH_FACTOR, windowMs };

  const decide = (request: Request, response: Response, policy: RatePolicy, state: RateState): unknown => {
    for (const [name, value] of Object.entries(rateHeaders(policy, state))) response.setHeader(name, value);
    if (!state.isExceeded) return undefined;
    if (request.path !== FORGOT_PASSWORD) return rateLimited(state);
    silent.mark(request);
    return undefined;
  };

  return (request: Request, response: Response, next: NextFunction): void => {
    if (!settings.rateLimitEnabled || !isLimited(request)) {
      next();
      return;
    }
    const isRefresh = request.path === REFRESH;
    const policy = isRefresh ? refreshing : common;
    const key = `${isRefresh ? 'refresh' : 'public'}:${networkOf(request.ip ?? '')}`;
    rates.consume(policy, key).then((state) => {
      next(decide(request, response, policy, state));
    }, next);
  };
}

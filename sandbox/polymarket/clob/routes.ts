import { type WireResponse } from '../../wire/server.js';
import { Refused } from '../refusals.js';
import { type RouteHandler } from '../router.js';

/** The CLOB's `{ "error": text }` for statuses that faults and unknown paths produce. */
const ERRORS: Readonly<Record<number, string>> = {
  401: 'Unauthorized/Invalid api key',
  403: 'Trading restricted in your region, please refer to available regions',
  404: 'Not Found',
  405: 'Method Not Allowed',
  429: 'Too Many Requests',
  500: 'Internal server error',
  503: 'Trading is currently disabled. Check polymarket.com for updates',
};

export function ok(body: unknown): WireResponse {
  return { status: 200, body };
}

/** An empty object for 425, as on the wire; a text for everything else. */
export function clobError(status: number): unknown {
  return status === 425 ? {} : { error: ERRORS[status] ?? `status ${status}` };
}

/** Turns `Refused` into its answer. */
export function answering(handler: RouteHandler): RouteHandler {
  return (request, params) => {
    try {
      return handler(request, params);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return { status: error.status, body: { error: error.message } };
    }
  };
}

import { AsyncLocalStorage } from 'node:async_hooks';
import type { NextFunction, Request, Response } from 'express';
import type { Logger } from 'pino';
import { ulid } from 'ulid';
import { addressIn } from '../limits/client-network.js';
import { randomFraction } from '../secrets/random.js';

const MAX_LOGGED_PATH = 256;

/** What is known of the request being answered, wherever the code stands. */
export interface RequestContext {
  /** `req_` + 26 characters; also the `X-Request-Id` header. */
  readonly id: string;
  /** The caller's address as `TRUST_PROXY` lets us know it. */
  readonly ip: string;
  readonly userAgent: string;
}

const storage = new AsyncLocalStorage<RequestContext>();

/** The context of the current request; undefined outside of one. */
export function currentRequest(): RequestContext | undefined {
  return storage.getStore();
}

/** As proxies report it; where that is no address, the one that the connection came from (S-26). */
function callerOf(request: Request): string {
  return addressIn(request.ip ?? '') ?? request.socket.remoteAddress ?? '';
}

/** As far as a log needs it (S-53). */
function pathOf({ originalUrl }: Request): string {
  return originalUrl.slice(0, MAX_LOGGED_PATH).split('?', 1)[0] ?? '';
}

/** Writes one line when the request is answered (S-40). */
function logAnswer(log: Logger, { id }: RequestContext, request: Request, response: Response): void {
  const startedAt = performance.now();
  response.once('close', () => {
    log.debug(
      {
        request_id: id,
        method: request.method,
        path: pathOf(request),
        status: response.writableFinished ? response.statusCode : 'aborted',
        duration_ms: Math.round(performance.now() - startedAt),
      },
      'request',
    );
  });
}

/** First in the chain: makes the id of the request (contract.md 3). */
export function requestContext(log: Logger) {
  const isLogged = log.isLevelEnabled('debug');
  return (request: Request, response: Response, next: NextFunction): void => {
    const id = `req_${ulid(Date.now(), randomFraction)}`;
    const context = { id, ip: callerOf(request), userAgent: request.headers['user-agent'] ?? '' };
    response.setHeader('X-Request-Id', id);
    if (isLogged) logAnswer(log, context, request, response);
    storage.run(context, next);
  };
}

import { AsyncLocalStorage } from 'node:async_hooks';
import type { NextFunction, Request, Response } from 'express';
import type { Logger } from 'pino';
import { ulid } from 'ulid';
import { addressIn } from '../limits/client-network.js';

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

/** First in the chain: makes the id of the request, and writes one line when it is answered (contract.md 3, S-40). */
export function requestContext(log: Logger) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const context = { id: `req_${ulid()}`, ip: callerOf(request), userAgent: request.get('user-agent') ?? '' };
    const startedAt = performance.now();
    response.setHeader('X-Request-Id', context.id);
    response.once('close', () => {
      log.info(
        {
          request_id: context.id,
          method: request.method,
          path: pathOf(request),
          status: response.writableFinished ? response.statusCode : 'aborted',
          duration_ms: Math.round(performance.now() - startedAt),
        },
        'request',
      );
    });
    storage.run(context, next);
  };
}

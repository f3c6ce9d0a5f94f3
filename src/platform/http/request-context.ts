import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
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
function pathOf(target: string): string {
  return target.slice(0, MAX_LOGGED_PATH).split('?', 1)[0] ?? '';
}

/** A new id of a request (contract.md 3). */
export function newRequestId(): string {
  return `req_${ulid(Date.now(), randomFraction)}`;
}

/** Writes one line when a request is answered, at the level `debug` (S-40). */
export function logAnswer(log: Logger, id: string, request: IncomingMessage, response: ServerResponse): void {
  if (!log.isLevelEnabled('debug')) return;
  const { method, url = '' } = request;
  const startedAt = performance.now();
  response.once('close', () => {
    log.debug(
      {
        request_id: id,
        method,
        path: pathOf(url),
        status: response.writableFinished ? response.statusCode : 'aborted',
        duration_ms: Math.round(performance.now() - startedAt),
      },
      'request',
    );
  });
}

/** First in the chain: makes the id of the request (contract.md 3). */
export function requestContext(log: Logger) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const context = { id: newRequestId(), ip: callerOf(request), userAgent: request.headers['user-agent'] ?? '' };
    response.setHeader('X-Request-Id', context.id);
    logAnswer(log, context.id, request, response);
    storage.run(context, next);
  };
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request } from 'express';
import type { Logger } from 'pino';
import { networkOf } from '../limits/client-network.js';
import type { Access, AccessLog } from '../logging/access-log.js';
import { idsOf, type RequestContext } from '../logging/current-request.js';
import { callerAddress } from './caller-address.js';

const MAX_LOGGED_PATH = 256;

type Ids = Pick<RequestContext, 'id' | 'trace'>;

/** Which route a request has and who made it, as it is known once the request is answered. */
export type Describe = (request: IncomingMessage) => Pick<Access, 'route' | 'user_id' | 'key_prefix'>;

/** Returns the path without the query, cut to what a log needs (S-53). */
function pathOf(target: string): string {
  return target.slice(0, MAX_LOGGED_PATH).split('?', 1)[0] ?? '';
}

/** Returns the announced length of the body; 0 for an answer without one. */
function bytesOf(response: ServerResponse): number {
  const announced = response.req.method === 'HEAD' ? 0 : Number(response.getHeader('content-length') ?? 0);
  return Number.isFinite(announced) ? announced : 0;
}

/** Milliseconds with three digits behind the point. */
function since(startedAt: number): number {
  return Math.round((performance.now() - startedAt) * 1_000) / 1_000;
}

/** Writes lines about requests once they are answered: at the level `debug` (S-40), and in the access log where there is one. */
export class AnswerLog {
  constructor(
    private readonly log: Logger,
    private readonly access: AccessLog | null,
    private readonly describe: Describe,
  ) {}

  /** `bytes` of a body whose header lines the response does not know. */
  watch(ids: Ids, request: IncomingMessage, response: ServerResponse, bytes?: number): void {
    if (this.access !== null) this.#noteAccess(this.access, ids, response, bytes);
    if (!this.log.isLevelEnabled('debug')) return;
    const { method, url = '' } = request;
    const startedAt = performance.now();
    response.once('close', () => {
      this.log.debug(
        {
          ...idsOf(ids),
          method,
          path: pathOf(url),
          status: response.writableFinished ? response.statusCode : 'aborted',
          duration_ms: Math.round(performance.now() - startedAt),
        },
        'request',
      );
    });
  }

  /** The address is read at once: a connection that is closed has none. */
  #noteAccess(access: AccessLog, ids: Ids, response: ServerResponse, bytes: number | undefined): void {
    const request = response.req;
    const startedAt = performance.now();
    const ip = networkOf(callerAddress(request as Request));
    response.once('close', () => {
      access.write(ids, {
        method: request.method ?? '',
        ...this.describe(request),
        status: response.writableFinished ? response.statusCode : null,
        bytes: bytes ?? bytesOf(response),
        duration_ms: since(startedAt),
        ip,
      });
    });
  }
}

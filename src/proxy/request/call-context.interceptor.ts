import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Observable } from 'rxjs';
import type { Principal } from '../../access/principal.js';
import { clientGone } from '../../platform/http/client-gone.js';
import { currentCallContext, withCallContext } from '../../platform/upstream/call-context.js';
import type { Priority } from '../../platform/upstream/priority.js';

/** The reads that precede an order, its change or a cancel have its priority. */
const PRIORITY: Readonly<Record<string, Priority>> = { POST: 'order', PATCH: 'order', DELETE: 'cancel' };

/** Whether the client wants nothing from a cache (contract.md 2). */
export function wantsFresh({ headers }: Request): boolean {
  return /(^|,)\s*no-cache\s*(,|$)/i.test(headers['cache-control'] ?? '');
}

/**
 * Sets the context of all upstream calls of a request: they count against its caller's share, its reads end when its client
 * disconnects, and `Cache-Control: no-cache` skips the cache (contract.md 2, R-16, R-27). An answer that is made for several callers
 * has its context already.
 */
@Injectable()
export class CallContextInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (currentCallContext() !== undefined) return next.handle();
    const http = context.switchToHttp();
    const request = http.getRequest<Request & { user?: Principal }>();
    const calls = {
      caller: request.user?.userId,
      priority: PRIORITY[request.method],
      fresh: wantsFresh(request),
      signal: clientGone(http.getResponse<Response>()),
    };
    return new Observable((subscriber) => withCallContext(calls, () => next.handle().subscribe(subscriber)));
  }
}

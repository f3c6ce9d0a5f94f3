import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Observable } from 'rxjs';
import type { Principal } from '../../access/principal.js';
import { withCallContext } from '../../platform/upstream/call-context.js';
import type { Priority } from '../../platform/upstream/priority.js';

/** What an order or a cancel has to read first is as urgent as it is itself. */
const URGENCY: Readonly<Record<string, Priority>> = { POST: 'order', DELETE: 'cancel' };

/**
 * The calls made for a request take its caller's share, its reads end when its client goes, and `Cache-Control: no-cache`
 * asks the exchange itself (DESIGN 2, R-16, R-27).
 */
@Injectable()
export class CallContextInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request & { user?: Principal }>();
    const response = http.getResponse<Response>();
    const gone = new AbortController();
    response.once('close', () => {
      gone.abort();
    });
    // It may have gone while the guards were at work.
    if (response.closed) gone.abort();
    const calls = {
      caller: request.user?.userId,
      priority: URGENCY[request.method],
      fresh: /(^|,)\s*no-cache\s*(,|$)/i.test(request.headers['cache-control'] ?? ''),
      signal: gone.signal,
    };
    return new Observable((subscriber) => withCallContext(calls, () => next.handle().subscribe(subscriber)));
  }
}

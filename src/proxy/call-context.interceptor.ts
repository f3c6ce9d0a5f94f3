import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Observable } from 'rxjs';
import type { Principal } from '../access/principal.js';
import { withCallContext } from '../platform/http/call-context.js';

/**
 * The calls made for a request are its caller's, for fair shares; its reads end when its client goes, and
 * `Cache-Control: no-cache` asks the exchange itself (DESIGN 2, R-16, R-27).
 */
@Injectable()
export class CallContextInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request & { user?: Principal }>();
    const gone = new AbortController();
    const response = http.getResponse<Response>();
    response.once('close', () => {
      gone.abort();
    });
    // It may have gone while the guards were at work.
    if (response.closed) gone.abort();
    const fresh = /(^|,)\s*no-cache\s*(,|$)/i.test(request.headers['cache-control'] ?? '');
    const caller = request.user?.userId;
    return new Observable((subscriber) =>
      withCallContext({ caller, fresh, signal: gone.signal }, () => next.handle().subscribe(subscriber)),
    );
  }
}

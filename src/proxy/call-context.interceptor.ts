import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Observable } from 'rxjs';
import { withCallContext } from '../platform/http/call-context.js';

/** Reads are ended when their client goes, and `Cache-Control: no-cache` asks the exchange itself (DESIGN 2, R-16). */
@Injectable()
export class CallContextInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    if (request.method !== 'GET' && request.method !== 'HEAD') return next.handle();
    const gone = new AbortController();
    response.once('close', () => {
      gone.abort();
    });
    const fresh = /(^|,)\s*no-cache\s*(,|$)/i.test(request.headers['cache-control'] ?? '');
    return new Observable((subscriber) =>
      withCallContext({ fresh, signal: gone.signal }, () => next.handle().subscribe(subscriber)),
    );
  }
}

import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { lastValueFrom, type Observable, of } from 'rxjs';
import { ACCESS, type Access, OWN_RATE } from '../../access/access.metadata.js';
import type { Principal, Scope } from '../../access/principal.js';
import { isOrdinary } from '../../platform/http/ordinary-request.js';
import { clientGone, wantsFresh } from '../request/call-context.interceptor.js';
import type { FinishedAnswer } from './finished-answer.js';
import { FinishedAnswers } from './finished-answers.js';

/** The header lines of a plain answer; null where it has more of a name than one, or speaks of its connection. */
function headersOf(response: Response & { getRawHeaderNames?(): string[] }): readonly string[] | null {
  const names = response.getRawHeaderNames?.() ?? [];
  const lines = names.map((name) => [name, response.getHeader(name)] as const);
  const isPlain =
    lines.length > 0 && lines.every(([name, value]) => !Array.isArray(value) && !/^connection$/i.test(name));
  return isPlain ? lines.flatMap(([name, value]) => [name, String(value)]) : null;
}

/**
 * Answers from the finished answers (contract.md 2, 9), and lets the answer lane repeat what was written for an ordinary
 * request. For routes whose answers depend on nothing but the request target; sets the context of their upstream calls.
 */
@Injectable()
export class FinishedAnswerInterceptor implements NestInterceptor {
  constructor(
    private readonly answers: FinishedAnswers,
    private readonly reflector: Reflector,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<Buffer>> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request & { user?: Principal }>();
    const response = http.getResponse<Response>();
    const target = request.originalUrl;
    const fresh = wantsFresh(request);
    const asker = () => ({ caller: request.user?.userId, fresh, signal: clientGone(response) });
    const kept = fresh ? undefined : this.answers.get(target);
    const answer = kept ?? (await this.answers.ask(target, asker(), () => lastValueFrom(next.handle())));
    const scope = answer.lane === null && answer.end > 0 ? this.#scopeOf(context.getHandler()) : undefined;
    if (scope !== undefined && isOrdinary(request)) this.#offer(answer, scope, response);
    return of(answer.body);
  }

  /** What the route declares; undefined where it wants more than an API key with a scope and the common limit. */
  #scopeOf(handler: ReturnType<ExecutionContext['getHandler']>): Scope | null | undefined {
    const access = this.reflector.get<Access | undefined>(ACCESS, handler);
    const isLimited = this.reflector.get<unknown>(OWN_RATE, handler) !== undefined;
    return access?.kind === 'api-key' && !isLimited ? access.scope : undefined;
  }

  /** Once it has gone out, since only then all its header lines are known. */
  #offer(answer: FinishedAnswer, scope: Scope | null, response: Response): void {
    response.once('finish', () => {
      const headers = response.statusCode === 200 ? headersOf(response) : null;
      if (headers !== null) answer.lane ??= { scope, headers };
    });
  }
}

import type { ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { isOrdinary } from './ordinary-request.js';
import { ACCESS, type Access, OWN_RATE } from '../access/access.metadata.js';
import type { FinishedAnswer } from './finished-answer.js';
import type { Scope } from '../access/principal.js';
import type { RoutedRequest } from '../access/routed-request.js';

/**
 * The header lines of a plain answer, but for `traceparent`, of which each has its own; null where it has more of a name than one,
 * or speaks of its connection.
 */
function headersOf(response: Response & { getRawHeaderNames?(): string[] }): readonly string[] | null {
  const names = (response.getRawHeaderNames?.() ?? []).filter((name) => name !== 'traceparent');
  const lines = names.map((name) => [name, response.getHeader(name)] as const);
  const isPlain =
    lines.length > 0 && lines.every(([name, value]) => !Array.isArray(value) && !/^connection$/i.test(name));
  return isPlain ? lines.flatMap(([name, value]) => [name, String(value)]) : null;
}

/** What the route declares; undefined where it wants more than an API key with a scope and the common limit. */
function scopeOf(handler: ReturnType<ExecutionContext['getHandler']>): Scope | null | undefined {
  const access = Reflect.getMetadata(ACCESS, handler) as Access | undefined;
  const isLimited = Reflect.getMetadata(OWN_RATE, handler) !== undefined;
  return access?.kind === 'api-key' && !isLimited ? access.scope : undefined;
}

/**
 * Lets the answer lane repeat what is about to be written (contract.md 5.10), where neither the route nor the request is unusual.
 * It is noted once it has gone out, since only then all its header lines are known.
 */
export function offerToLane(answer: FinishedAnswer, context: ExecutionContext): void {
  const http = context.switchToHttp();
  const scope = answer.lane === null ? scopeOf(context.getHandler()) : undefined;
  const request = http.getRequest<Request & RoutedRequest>();
  if (scope === undefined || !isOrdinary(request)) return;
  const response = http.getResponse<Response>();
  response.once('finish', () => {
    const isFirst = answer.lane === null && response.statusCode === 200;
    const headers = isFirst ? headersOf(response) : null;
    if (headers !== null) answer.lane = { scope, headers, found: request.found };
  });
}

import type { NextFunction, Request, Response } from 'express';
import { decodeTime, ulid } from 'ulid';
import { networksAround } from '../limits/client-network.js';
import { withRequest } from '../logging/current-request.js';
import { TraceContext } from '../logging/trace-context.js';
import { randomFraction } from '../secrets/random.js';
import type { AnswerLog } from './answer-log.js';
import { callerAddress } from './caller-address.js';

export { currentRequest } from '../logging/current-request.js';

/** A new id of a request (contract.md 3). */
export function newRequestId(): string {
  return `req_${ulid(Date.now(), randomFraction)}`;
}

/** When a request began, by its id; null for any other id. */
export function requestTime(id: string): Date | null {
  if (!/^req_[0-9A-Z]{26}$/.test(id)) return null;
  try {
    return new Date(decodeTime(id.slice('req_'.length)));
  } catch {
    return null;
  }
}

/** First in the chain: makes the id of the request, and its place in a trace (contract.md 3), and where it comes from (S-26, S-53). */
export function requestContext(answers: AnswerLog) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const ids = { id: newRequestId(), trace: new TraceContext(request.headers) };
    response.setHeader('X-Request-Id', ids.id);
    const { answer } = ids.trace;
    if (answer !== null) response.setHeader('traceparent', answer);
    answers.watch(ids, request, response);
    const ip = callerAddress(request);
    // What outlives the request, such as a connection that was opened in it, keeps this context, and must not keep its body (S-39).
    let isOver = false;
    response.once('close', () => {
      isOver = true;
    });
    const context = {
      ...ids,
      ip,
      userAgent: request.headers['user-agent'] ?? '',
      networks: () => networksAround(ip),
      hasGone: () => isOver,
    };
    withRequest(context, next);
  };
}

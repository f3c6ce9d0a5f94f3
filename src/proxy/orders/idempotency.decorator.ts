import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { badField } from '../../platform/errors/app-error.js';

const KEY_FORM = /^[\x21-\x7e]{1,255}$/;

/** What a call says about being repeated. */
export interface Idempotency {
  /** The `Idempotency-Key`: 1 to 255 visible ASCII characters; undefined where there is none (DESIGN 5). */
  readonly key: string | undefined;
  /** Tells the caller that the answer is the first one over again. */
  markReplayed(): void;
}

/** The `Idempotency-Key` of the call and the way to say `Idempotency-Replayed` (DESIGN 5). */
export const IdempotencyParam = createParamDecorator((_: unknown, context: ExecutionContext): Idempotency => {
  const http = context.switchToHttp();
  const key = http.getRequest<Request>().headers['idempotency-key'];
  if (key !== undefined && (typeof key !== 'string' || !KEY_FORM.test(key))) {
    throw badField('Idempotency-Key', 'must be 1 to 255 visible ASCII characters');
  }
  return {
    key,
    markReplayed: () => {
      http.getResponse<Response>().setHeader('Idempotency-Replayed', 'true');
    },
  };
});

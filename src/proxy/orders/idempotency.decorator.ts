import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { badField } from '../../platform/errors/app-error.js';

const KEY_FORM = /^[\x21-\x7e]{1,255}$/;

/** The `Idempotency-Key` of a call, and how to mark a replay. */
export interface Idempotency {
  /** The `Idempotency-Key`: 1 to 255 visible ASCII characters; undefined where there is none (contract.md 5). */
  readonly key: string | undefined;
  /** Sets the header that marks the answer as a replay. */
  markReplayed(): void;
}

/** Reads the `Idempotency-Key`; throws `bad_request` for one of another form (contract.md 5). */
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

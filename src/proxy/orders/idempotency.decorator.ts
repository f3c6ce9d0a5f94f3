import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader, ApiParam } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { badField } from '../../platform/errors/app-error.js';

/** `.` and `..` would vanish from a path. */
const KEY_FORM = /^(?!\.{1,2}$)[\x21-\x7e]{1,255}$/;

const LONGEST_KEY = 255;
/** Of several orders: with `#14` behind it a key has 255 characters at most. */
export const LONGEST_BATCH_KEY = LONGEST_KEY - '#14'.length;

function documented(maxLength = LONGEST_KEY) {
  return { schema: { type: 'string', pattern: KEY_FORM.source, maxLength, example: 'order-2026-11-24-1' } } as const;
}

/** Documents the header `Idempotency-Key` of a route that makes something; `maxLength` in characters. */
export function ApiIdempotencyKey(what: string, maxLength?: number): MethodDecorator {
  const description = `Kept for 24 h after the last attempt: the same ${what} under the same key is sent once, however often it is repeated.`;
  return applyDecorators(
    ApiHeader({ name: 'Idempotency-Key', required: false, description, ...documented(maxLength) }),
  );
}

/** Documents the path parameter `idempotency_key`. */
export function ApiIdempotencyKeyParam(): MethodDecorator {
  const description = 'The `Idempotency-Key` of a create.';
  return applyDecorators(ApiParam({ name: 'idempotency_key', description, ...documented() }));
}

/** The `Idempotency-Key` of a call, and how to mark a replay. */
export interface Idempotency {
  /** The `Idempotency-Key`: 1 to 255 visible ASCII characters but `.` and `..`; undefined where there is none (contract.md 5). */
  readonly key: string | undefined;
  /** Sets the header that marks the answer as a replay. */
  markReplayed(): void;
}

/** Returns the key; throws `bad_request`, with the name of where it was given, for one of another form. */
export function checkKey(field: string, key: unknown): string {
  if (typeof key === 'string' && KEY_FORM.test(key)) return key;
  throw badField(field, 'must be 1 to 255 visible ASCII characters, and neither . nor ..');
}

/** Reads the `Idempotency-Key`; throws `bad_request` for one of another form (contract.md 5, R-14). */
export const IdempotencyParam = createParamDecorator((_: unknown, context: ExecutionContext): Idempotency => {
  const http = context.switchToHttp();
  const key = http.getRequest<Request>().headers['idempotency-key'];
  return {
    key: key === undefined ? undefined : checkKey('Idempotency-Key', key),
    markReplayed: () => {
      http.getResponse<Response>().setHeader('Idempotency-Replayed', 'true');
    },
  };
});

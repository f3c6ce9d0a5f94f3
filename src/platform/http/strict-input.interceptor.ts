import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { badField } from '../errors/app-error.js';
import { badParameters } from './validation.js';

/** Kinds of route argument as Nest numbers them in its metadata keys (`<kind>:<index>`). */
const BODY_ARGUMENT = '3:';
const QUERY_ARGUMENT = '4:';

function takes(context: ExecutionContext, kind: string): boolean {
  const name = context.getHandler().name;
  const metadata: unknown = Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), name);
  return Object.keys(metadata ?? {}).some((key) => key.startsWith(kind));
}

function isEmpty(body: unknown): boolean {
  return body === undefined || (typeof body === 'object' && body !== null && Object.keys(body).length === 0);
}

/** Nothing that a client sends is silently ignored: no query or body where a route takes none, no name twice (S-33, S-34). */
@Injectable()
export class StrictInputInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    const names = Object.keys(request.query);
    const repeated = names.filter((name) => Array.isArray(request.query[name]));
    if (repeated.length > 0) throw badParameters(repeated, 'must not stand there twice');
    if (names.length > 0 && !takes(context, QUERY_ARGUMENT)) throw badParameters(names, 'is not known here');
    if (!isEmpty(request.body) && !takes(context, BODY_ARGUMENT)) throw badField('body', 'must be empty here');
    return next.handle();
  }
}

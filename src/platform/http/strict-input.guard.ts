import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import type { Request } from 'express';
import { type AppError, badField } from '../errors/app-error.js';
import { badParameters } from './validation.js';

/** Kinds of route argument as Nest numbers them in its metadata keys (`<kind>:<index>`). */
const BODY_ARGUMENT = '3:';
const QUERY_ARGUMENT = '4:';

function takes(context: ExecutionContext, kind: string): boolean {
  const name = context.getHandler().name;
  const metadata: unknown = Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), name);
  return Object.keys(metadata ?? {}).some((key) => key.startsWith(kind));
}

function namesIn(value: unknown): string[] {
  return typeof value === 'object' && value !== null ? Object.keys(value) : [];
}

function isEmpty(body: unknown): boolean {
  return body === undefined || (typeof body === 'object' && body !== null && namesIn(body).length === 0);
}

const QUERY_ONLY = 'trading-proxy:query-only';

/**
 * Marks a route without a body where a client might expect one; a body is refused with a hint that parameters go into the query.
 */
export function QueryOnly(): MethodDecorator {
  return SetMetadata(QUERY_ONLY, true);
}

const REPEATABLE = 'trading-proxy:repeatable';

/** Lets a query parameter of a route stand there several times: its DTO gets a list then. */
export function Repeatable(name: string): MethodDecorator {
  return SetMetadata(REPEATABLE, name);
}

function refusedBody(context: ExecutionContext, body: unknown): AppError {
  const [name] = namesIn(body);
  if (name === undefined || Reflect.getMetadata(QUERY_ONLY, context.getHandler()) !== true) {
    return badField('body', 'must be empty here');
  }
  return badField(name.slice(0, 64), 'is not known here: parameters of this call go into the query');
}

/** Nothing that a client sends is silently ignored: no query or body where a route takes none, no name twice (S-33, S-34). */
@Injectable()
export class StrictInputGuard implements CanActivate {
  canActivate(context: ExecutionContext): true {
    const request = context.switchToHttp().getRequest<Request>();
    const query = request.query;
    const body: unknown = request.body;
    const names = Object.keys(query);
    const repeatable: unknown = Reflect.getMetadata(REPEATABLE, context.getHandler());
    const repeated = names.filter((name) => Array.isArray(query[name]) && name !== repeatable);
    if (repeated.length > 0) throw badParameters(repeated, 'must not stand there twice');
    if (names.length > 0 && !takes(context, QUERY_ARGUMENT)) throw badParameters(names, 'is not known here');
    if (!isEmpty(body) && !takes(context, BODY_ARGUMENT)) throw refusedBody(context, body);
    return true;
  }
}

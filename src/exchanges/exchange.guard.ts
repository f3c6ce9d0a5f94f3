import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { AppError } from '../platform/errors/app-error.js';
import type { Exchange } from './exchange.js';
import { ExchangeRegistry } from './exchange.registry.js';

/** Metadata of routes that only exchanges with session keys have. */
export const NEEDS_SESSION_KEYS = Symbol('needs session keys');

export type ExchangeRequest = Request & { exchange?: Exchange };

/** Finds the exchange of a path with `:exchange` after credential and limits, before parameters are looked at (contract.md 3). */
@Injectable()
export class ExchangeGuard implements CanActivate {
  constructor(
    private readonly registry: ExchangeRegistry,
    private readonly reflector: Reflector,
  ) {}

  canActivate(context: ExecutionContext): true {
    const request = context.switchToHttp().getRequest<ExchangeRequest>();
    const id = request.params.exchange;
    if (typeof id === 'string') request.exchange = this.#get(id, context);
    return true;
  }

  #get(id: string, context: ExecutionContext): Exchange {
    const exchange = this.registry.get(id);
    const needsSessionKeys = this.reflector.get<true | undefined>(NEEDS_SESSION_KEYS, context.getHandler());
    if (needsSessionKeys !== true || exchange.sessionKeys !== undefined) return exchange;
    throw new AppError('not_found', `There are no session keys at ${id}.`);
  }
}

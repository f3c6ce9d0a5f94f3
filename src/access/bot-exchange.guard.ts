import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { AppError } from '../platform/errors/app-error.js';
import { FOR_OWN_ORDERS } from './access.metadata.js';
import type { Principal } from './principal.js';

/**
 * Keeps bots to the exchanges that their owner named, before parameters and body are looked at (contract.md 3, 5.11). What reads or
 * cancels its own orders stays open to a bot from which an exchange was taken.
 */
@Injectable()
export class BotExchangeGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): true {
    const { user, params } = context.switchToHttp().getRequest<Request & { user?: Principal }>();
    const { exchange } = params;
    const allowed = user?.kind === 'api-key' ? (user.bot?.exchanges ?? null) : null;
    if (allowed === null || typeof exchange !== 'string' || allowed.includes(exchange)) return true;
    if (this.reflector.get<true | undefined>(FOR_OWN_ORDERS, context.getHandler()) === true) return true;
    throw exchangeNotAllowed();
  }
}

/** 403 `forbidden` of a bot at an exchange that is not its own. */
export function exchangeNotAllowed(): AppError {
  return new AppError('forbidden', 'This bot may not use this exchange. Its owner can add it: PATCH /account/bots.', {
    details: { reason: 'exchange_not_allowed' },
  });
}

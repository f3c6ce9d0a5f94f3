import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { CONFIRMATION, type NeedsConfirmation } from './access.metadata.js';
import { Confirmation } from './confirmation.js';
import type { Principal } from './principal.js';

/**
 * Guards routes that make new power to trade: the person of an older session must prove once more who they are, so that
 * a stolen access token alone makes no such power (S-59). The guard looks at nothing else of the request, and runs
 * before everything that does.
 */
@Injectable()
export class ConfirmationGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly confirmation: Confirmation,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const needs = this.reflector.get<NeedsConfirmation | undefined>(CONFIRMATION, context.getHandler());
    if (needs === undefined) return true;
    const { user, body } = context.switchToHttp().getRequest<{ user?: Principal; body?: unknown }>();
    if (this.confirmation.isMissing(user) && needs(body)) this.confirmation.assertConfirmed(user);
    return true;
  }
}

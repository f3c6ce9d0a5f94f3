import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Settings } from '../platform/config/settings.js';
import { AppError } from '../platform/errors/app-error.js';
import { CONFIRMATION, type NeedsConfirmation } from './access.metadata.js';
import type { Principal } from './principal.js';

/**
 * Guards routes that make new power to trade: the person of an older session must prove once more who they are, so that
 * a stolen access token alone makes no such power (S-59). The guard looks at nothing else of the request, and runs
 * before everything that does.
 */
@Injectable()
export class ConfirmationGuard implements CanActivate {
  readonly #isOn: boolean;

  constructor(
    private readonly reflector: Reflector,
    settings: Settings,
  ) {
    this.#isOn = settings.confirmSensitive;
  }

  canActivate(context: ExecutionContext): boolean {
    const needs = this.reflector.get<NeedsConfirmation | undefined>(CONFIRMATION, context.getHandler());
    if (!this.#isOn || needs === undefined) return true;
    const { user, body } = context.switchToHttp().getRequest<{ user?: Principal; body?: unknown }>();
    if (user?.kind === 'session' && user.isConfirmed) return true;
    if (!needs(body)) return true;
    throw new AppError('forbidden', 'Confirm first that it is you: POST /account/confirm. Then send this again.', {
      details: { reason: 'confirmation_required' },
    });
  }
}

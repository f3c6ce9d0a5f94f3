import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { AppError } from '../platform/errors/app-error.js';
import { ACCESS, type Access } from './access.metadata.js';
import { requireToken, unauthorized } from './bearer.js';
import { CredentialStrategies } from './credential-strategies.js';
import { type ApiKeyPrincipal, grantsScope, type Scope } from './principal.js';
import { ScopeRefusals } from './scope-refusals.js';

/** Admits programs: the Passport strategy `api-key` must know the key, and the key must have the route's scope (S-31). */
@Injectable()
export class ApiKeyScopeGuard implements CanActivate {
  constructor(
    private readonly strategies: CredentialStrategies,
    private readonly reflector: Reflector,
    private readonly refusals: ScopeRefusals,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request & { user?: ApiKeyPrincipal }>();
    requireToken(request, 'api-key');
    const caller = await this.strategies.identify<ApiKeyPrincipal>('api-key', request);
    const access = this.reflector.get<Access | undefined>(ACCESS, context.getHandler());
    if (access?.kind !== 'api-key') throw unauthorized('invalid');
    if (access.scope !== null && !grantsScope(caller.scopes, access.scope)) await this.#refuse(caller, access.scope);
    request.user = caller;
    return true;
  }

  async #refuse(caller: ApiKeyPrincipal, needed: Scope): Promise<never> {
    await this.refusals.report(caller, needed);
    throw new AppError('forbidden', `This API key lacks the ${needed} scope. Create one that has it.`, {
      details: { required_scope: needed },
    });
  }
}

import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import type { Request } from 'express';
import { AppError } from '../platform/errors/app-error.js';
import { ACCESS, type Access } from './access.metadata.js';
import { requireToken, rethrow, unauthorized } from './bearer.js';
import { type ApiKeyPrincipal, grantsScope } from './principal.js';
import { ScopeRefusals } from './scope-refusals.js';

/** Admits programs: the Passport strategy `api-key` must know the key, and the key must have the route's scope (S-31). */
@Injectable()
export class ApiKeyScopeGuard extends AuthGuard('api-key') {
  constructor(
    private readonly reflector: Reflector,
    private readonly refusals: ScopeRefusals,
  ) {
    super();
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request & { user?: ApiKeyPrincipal }>();
    requireToken(request, 'api-key');
    await super.canActivate(context);
    await this.#checkScope(context, request.user);
    return true;
  }

  override handleRequest<User>(error: unknown, user: User | false | undefined): User {
    rethrow(error);
    if (!user) throw unauthorized('invalid');
    return user;
  }

  async #checkScope(context: ExecutionContext, caller: ApiKeyPrincipal | undefined): Promise<void> {
    const access = this.reflector.get<Access | undefined>(ACCESS, context.getHandler());
    if (access?.kind !== 'api-key' || caller === undefined) throw unauthorized('invalid');
    const needed = access.scope;
    if (needed === null || grantsScope(caller.scopes, needed)) return;
    await this.refusals.report(caller, needed);
    throw new AppError('forbidden', `This API key lacks the ${needed} scope. Create one that has it.`, {
      details: { required_scope: needed },
    });
  }
}

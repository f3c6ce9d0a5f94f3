import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ACCESS, type Access } from './access.metadata.js';
import { ApiKeyScopeGuard } from './api-key-scope.guard.js';
import { JwtGuard } from './jwt.guard.js';

/**
 * The first global guard: asks the guard of the credential that a route declares. A route that does not say who may call it is
 * refused, to everybody (CONTRIBUTING.md 4, S-18).
 */
@Injectable()
export class DeclaredAccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly sessions: JwtGuard,
    private readonly apiKeys: ApiKeyScopeGuard,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const access = this.reflector.get<Access | undefined>(ACCESS, context.getHandler());
    if (access?.kind === 'public') return true;
    if (access?.kind === 'session') return this.sessions.canActivate(context);
    if (access?.kind === 'api-key') return this.apiKeys.canActivate(context);
    throw new Error(`${context.getClass().name}.${context.getHandler().name} does not declare who may call it`);
  }
}

import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { AppError } from '../platform/errors/app-error.js';
import { ACCESS, type Access } from './access.metadata.js';
import { anyToken, unauthorized, wrongTokenType } from './bearer.js';
import { CredentialStrategies } from './credential-strategies.js';
import { identifySession } from './jwt.guard.js';
import { type ApiKeyPrincipal, grantsScope, type Principal, type Scope, type SessionPrincipal } from './principal.js';
import { ScopeRefusals } from './scope-refusals.js';

type KeyAccess = Extract<Access, { kind: 'api-key' }>;

/**
 * Admits programs: the Passport strategy `api-key` must know the key, and the key must have the route's scope (S-31). Admits
 * signed-in people to the routes that say so: looked up at each call as on `/account/*` (S-17, S-18).
 */
@Injectable()
export class ApiKeyScopeGuard implements CanActivate {
  constructor(
    private readonly strategies: CredentialStrategies,
    private readonly reflector: Reflector,
    private readonly refusals: ScopeRefusals,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request & { user?: Principal }>();
    const access = this.reflector.get<Access | undefined>(ACCESS, context.getHandler());
    if (access?.kind !== 'api-key') throw unauthorized('invalid');
    const isKey = anyToken(request).kind === 'api-key';
    request.user = await (isKey ? this.#keyOf(request, access) : this.#sessionOf(request, access));
    return true;
  }

  async #keyOf(request: Request, { scope, ofBot }: KeyAccess): Promise<ApiKeyPrincipal> {
    const caller = await this.strategies.identify<ApiKeyPrincipal>('api-key', request);
    if (ofBot === true && caller.bot === null) throw botKeyRequired();
    if (scope !== null && !grantsScope(caller.scopes, scope)) await this.#refuse(caller, scope);
    return caller;
  }

  async #sessionOf(request: Request, { scope, orSession }: KeyAccess): Promise<SessionPrincipal> {
    if (scope === null) throw wrongTokenType('api-key');
    const caller = await identifySession(this.strategies, request);
    if (orSession) return caller;
    throw new AppError(
      'forbidden',
      `A session may read and cancel. This call takes an API key with the ${scope} scope.`,
      {
        details: { reason: 'api_key_required' },
      },
    );
  }

  async #refuse(caller: ApiKeyPrincipal, needed: Scope): Promise<never> {
    await this.refusals.report(caller, needed);
    throw new AppError('forbidden', `This API key lacks the ${needed} scope. Create one that has it.`, {
      details: { required_scope: needed },
    });
  }
}

function botKeyRequired(): AppError {
  return new AppError('forbidden', 'This call takes the key of a bot (POST /account/bots), not your main key.', {
    details: { reason: 'bot_key_required' },
  });
}

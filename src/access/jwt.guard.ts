import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { AppError } from '../platform/errors/app-error.js';
import { requireToken, unauthorized } from './bearer.js';
import { CredentialStrategies } from './credential-strategies.js';
import type { SessionPrincipal } from './principal.js';

function refusalOf(info: unknown): AppError {
  const expired = info instanceof Error && info.name === 'TokenExpiredError';
  return unauthorized(expired ? 'token_expired' : 'invalid', info);
}

/** The signed-in person of a request; throws `unauthorized` where the token or its session is none (S-16, S-17). */
export function identifySession(strategies: CredentialStrategies, request: Request): Promise<SessionPrincipal> {
  return strategies.identify('jwt', request, refusalOf);
}

/** Admits signed-in people: the Passport strategy `jwt`, which the auth module provides, must know the token (S-18). */
@Injectable()
export class JwtGuard implements CanActivate {
  constructor(private readonly strategies: CredentialStrategies) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request & { user?: SessionPrincipal }>();
    requireToken(request, 'jwt');
    request.user = await identifySession(this.strategies, request);
    return true;
  }
}

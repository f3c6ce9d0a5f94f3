import { applyDecorators, createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { ApiBearerAuth, ApiSecurity } from '@nestjs/swagger';
import type { Request } from 'express';
import type { RatePolicy } from '../platform/limits/rate.js';
import { ACCESS, type Access, OWN_RATE } from './access.metadata.js';
import type { Principal, Scope } from './principal.js';

function declare(access: Access): MethodDecorator {
  return SetMetadata(ACCESS, access);
}

/** Anybody may call this route. */
export function Public(): MethodDecorator {
  return applyDecorators(declare({ kind: 'public' }));
}

/** A signed-in person may call this route, with a JWT access token (contract.md 4). */
export function RequireSession(): MethodDecorator {
  return applyDecorators(declare({ kind: 'session' }), ApiBearerAuth('access-token'));
}

/** A program may call this route with an API key that has the scope, or any key where none is named (S-31). */
export function RequireScope(scope: Scope | null = null): MethodDecorator {
  return applyDecorators(declare({ kind: 'api-key', scope }), ApiSecurity('api-key'));
}

/**
 * Beside the common limit each user has this one, over all routes that name the same policy and whatever their parameters
 * say (S-56).
 */
export function LimitPerUser(policy: RatePolicy): MethodDecorator {
  return SetMetadata(OWN_RATE, policy);
}

/** The principal that the route's guard has established. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Principal => {
  const { user } = context.switchToHttp().getRequest<Request & { user?: Principal }>();
  if (user === undefined) throw new Error('@Caller() stands on a route without a credential');
  return user;
});

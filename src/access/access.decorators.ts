import { applyDecorators, createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { ApiBearerAuth, ApiSecurity } from '@nestjs/swagger';
import type { Request } from 'express';
import { ApiErrors } from '../platform/errors/api-errors.decorator.js';
import type { RatePolicy } from '../platform/limits/rate.js';
import {
  ACCESS,
  type Access,
  ANSWER_BASIS,
  type AnswerBasis,
  CONFIRMATION,
  FOR_OWN_ORDERS,
  type NeedsConfirmation,
  OWN_RATE,
  type OwnRate,
} from './access.metadata.js';
import { CANCEL_RATE } from './common-rate.js';
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

/**
 * A program may call this route with an API key that has the scope, or any key where none is named (S-31); with `orSession` a
 * signed-in person may too, with an access token (S-18).
 */
export function RequireScope(scope: Scope | null = null, { orSession = false } = {}): MethodDecorator {
  const sessions = orSession ? [ApiBearerAuth('access-token')] : [];
  return applyDecorators(declare({ kind: 'api-key', scope, orSession }), ApiSecurity('api-key'), ...sessions);
}

/** A bot may call this route with its own key, whatever its scopes; a main key is 403 `bot_key_required` (contract.md 5.11). */
export function RequireBot(): MethodDecorator {
  return applyDecorators(
    declare({ kind: 'api-key', scope: null, orSession: false, ofBot: true }),
    ApiSecurity('api-key'),
  );
}

/** This route reads or cancels the caller's own orders: open to a bot at an exchange that was taken from it (contract.md 5.11). */
export function ForOwnOrders(): MethodDecorator {
  return SetMetadata(FOR_OWN_ORDERS, true);
}

/**
 * A session may call this route while its person has just proved who they are, else 403 `forbidden` (S-59); only with bodies that
 * need it, where `needs` says which.
 */
export function RequireConfirmation(needs: NeedsConfirmation = () => true): MethodDecorator {
  return applyDecorators(SetMetadata(CONFIRMATION, needs), ApiErrors('forbidden'));
}

/**
 * Beside the common limit each user has this one, over all routes that name the same policy and whatever their parameters
 * say (S-56).
 */
export function LimitPerUser(policy: RatePolicy): MethodDecorator {
  return SetMetadata<string, OwnRate>(OWN_RATE, { policy, isAlone: false });
}

/** The answers of these routes depend on nothing else, so that one may be given to several calls. */
export function AnswerDependsOn(basis: AnswerBasis): ClassDecorator {
  return SetMetadata(ANSWER_BASIS, basis);
}

/**
 * Counts only in the limit of cancels, which reads and orders never use up (contract.md 3, S-56); only with bodies that cancel, where
 * `isFor` says which.
 */
export function CountAsCancel(isFor: (body: unknown) => boolean = () => true): MethodDecorator {
  return SetMetadata<string, OwnRate>(OWN_RATE, { policy: CANCEL_RATE, isAlone: true, isFor });
}

/** The principal that the route's guard has established. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Principal => {
  const { user } = context.switchToHttp().getRequest<Request & { user?: Principal }>();
  if (user === undefined) throw new Error('@Caller() stands on a route without a credential');
  return user;
});

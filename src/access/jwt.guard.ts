import { type ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { Request } from 'express';
import { requireToken, rethrow, unauthorized } from './bearer.js';

/** Admits signed-in people: the Passport strategy `jwt`, which the auth module provides, must know the token. */
@Injectable()
export class JwtGuard extends AuthGuard('jwt') {
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    requireToken(context.switchToHttp().getRequest<Request>(), 'jwt');
    await super.canActivate(context);
    return true;
  }

  override handleRequest<User>(error: unknown, user: User | false | undefined, info: unknown): User {
    rethrow(error);
    if (user) return user;
    const expired = info instanceof Error && info.name === 'TokenExpiredError';
    throw unauthorized(expired ? 'token_expired' : 'invalid', info);
  }
}

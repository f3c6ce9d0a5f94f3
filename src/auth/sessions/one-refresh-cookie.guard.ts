import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { findRefreshCookie } from './refresh-cookie.js';

/** Refuses two refresh cookies where none is needed, before anything is touched (S-19). */
@Injectable()
export class OneRefreshCookieGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    findRefreshCookie(context.switchToHttp().getRequest<Request>());
    return true;
  }
}

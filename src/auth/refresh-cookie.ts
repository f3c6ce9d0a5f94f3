import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { unauthorized } from '../access/bearer.js';
import type { Settings } from '../platform/config/settings.js';
import { AppError } from '../platform/errors/app-error.js';
import { Secret } from '../platform/secrets/secret.js';

const NAME = 'refresh_token';
const ATTRIBUTES = 'Path=/auth; HttpOnly; Secure; SameSite=Strict';

/** The calls that the browser's cookie authenticates. */
const COOKIE_CALLS = new Set(['/auth/refresh', '/auth/logout']);

/** Cookie calls from another site are refused before anything else is looked at (S-20, contract.md 4). */
export function cookieOrigin(settings: Settings): RequestHandler {
  const allowed = new Set(settings.corsOrigins);
  return (request: Request, _response: Response, next: NextFunction): void => {
    const { origin } = request.headers;
    const isForeign =
      (origin !== undefined && !allowed.has(origin)) || request.headers['sec-fetch-site'] === 'cross-site';
    const refused = COOKIE_CALLS.has(request.path) && isForeign;
    next(refused ? new AppError('forbidden', 'This call may not come from another site.') : undefined);
  };
}

/** Refuses two refresh cookies where none is needed, before anything is touched (S-19). */
@Injectable()
export class OneRefreshCookieGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    findRefreshCookie(context.switchToHttp().getRequest<Request>());
    return true;
  }
}

/** Returns the refresh token of a request; throws `unauthorized` where there is none, or more than one. */
export function getRefreshCookie(request: Request): Secret {
  const cookie = findRefreshCookie(request);
  if (cookie === null) throw unauthorized('missing');
  return cookie;
}

/** Sends a refresh token: only as this cookie, always with these attributes (S-19). */
export function setRefreshCookie(response: Response, token: Secret, expiresAt: Date): void {
  const secondsLeft = Math.max(0, Math.round((expiresAt.getTime() - Date.now()) / 1_000));
  response.setHeader('Set-Cookie', `${NAME}=${token.reveal()}; Max-Age=${secondsLeft}; ${ATTRIBUTES}`);
}

/** Clears the cookie once the work is done. */
export async function clearingAfter<T>(response: Response, work: Promise<T>): Promise<T> {
  const result = await work;
  clearRefreshCookie(response);
  return result;
}

/** Clears the cookie where its token is refused, not where the service could not answer (S-21). */
export async function clearingRefused<T>(response: Response, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof AppError && error.code === 'unauthorized') clearRefreshCookie(response);
    throw error;
  }
}

/** Clears the cookie, with the attributes that it was set with (S-23). */
function clearRefreshCookie(response: Response): void {
  response.setHeader('Set-Cookie', `${NAME}=; Max-Age=0; ${ATTRIBUTES}`);
}

/**
 * The refresh token of a request as cookie-parser has read it, null where there is none. Throws `unauthorized` for more than
 * one, of which cookie-parser shows the first alone: somebody tries to plant one, and nothing may be touched (S-19).
 */
export function findRefreshCookie(request: Request): Secret | null {
  if (countOf(NAME, request.headers.cookie ?? '') > 1) throw unauthorized('invalid');
  const value = (request.cookies as Readonly<Record<string, unknown>> | undefined)?.[NAME];
  if (value === undefined || value === '') return null;
  // A text that begins with `j:` is made an object, which no token of ours is.
  if (typeof value !== 'string') throw unauthorized('invalid');
  return new Secret(value);
}

/** How many cookies of a header have the name, with or without blanks around it. */
function countOf(name: string, header: string): number {
  return header.split(';').filter((pair) => pair.split('=', 1)[0]?.trim() === name).length;
}

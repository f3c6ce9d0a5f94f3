import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import { AppError } from '../platform/errors/app-error.js';

const HEADER = /^Bearer +([\w.~+/-]+=*)$/i;
const API_KEY_START = 'svc_sk_';
const JWT_SHAPE = /^[\w-]+\.[\w-]+\.[\w-]*$/;

export type UnauthorizedReason = 'missing' | 'invalid' | 'token_expired' | 'key_revoked' | 'wrong_token_type';

const MESSAGES: Readonly<Record<UnauthorizedReason, string>> = {
  missing: 'Send a credential in the header Authorization: Bearer <token>.',
  invalid: 'The credential is not valid. Sign in again or check the API key.',
  token_expired: 'The token has expired. Refresh it or sign in again.',
  key_revoked: 'This API key was revoked. Create a new one.',
  wrong_token_type: 'This kind of credential is not accepted here.',
};

/** 401 `unauthorized` with its reason (contract.md 3). */
export function unauthorized(reason: UnauthorizedReason, cause?: unknown): AppError {
  return new AppError('unauthorized', MESSAGES[reason], { details: { reason }, cause });
}

/** The bearer token of a request; null where there is none in the header, as tokens elsewhere do not count (S-18). */
export function bearerToken(request: IncomingMessage): string | null {
  return HEADER.exec(request.headers.authorization ?? '')?.[1] ?? null;
}

/** The token of a request that must be of the given kind; the kind is decided by its shape alone (S-18). */
export function requireToken(request: Request, kind: 'api-key' | 'jwt'): string {
  if (request.headers.authorization === undefined) throw unauthorized('missing');
  const token = bearerToken(request);
  if (token === null) throw unauthorized('invalid');
  const isApiKey = token.startsWith(API_KEY_START);
  const isOther = kind === 'jwt' ? isApiKey : JWT_SHAPE.test(token) && !isApiKey;
  if (isOther) throw unauthorized('wrong_token_type');
  if (kind === 'api-key' && !isApiKey) throw unauthorized('invalid');
  return token;
}

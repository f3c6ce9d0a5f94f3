import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import { AppError } from '../platform/errors/app-error.js';

const HEADER = /^Bearer +([\w.~+/-]+=*)$/i;
const API_KEY_START = 'svc_sk_';
const JWT_SHAPE = /^[\w-]+\.[\w-]+\.[\w-]*$/;

export type TokenKind = 'api-key' | 'jwt';

export type UnauthorizedReason = 'missing' | 'invalid' | 'token_expired' | 'key_expired' | 'key_revoked';

const MESSAGES: Readonly<Record<UnauthorizedReason, string>> = {
  missing: 'Send a credential in the header Authorization: Bearer <token>.',
  invalid: 'The credential is not valid. Sign in again or check the API key.',
  token_expired: 'The token has expired. Refresh it or sign in again.',
  key_revoked: 'This API key was revoked. Create a new one.',
  key_expired: 'This API key of a bot has ended. Its owner sets a later end of the bot, or the newer key is used.',
};

/** 401 `unauthorized` with its reason (contract.md 3). */
export function unauthorized(reason: UnauthorizedReason, cause?: unknown): AppError {
  return new AppError('unauthorized', MESSAGES[reason], { details: { reason }, cause });
}

const TAKEN: Readonly<Record<TokenKind, string>> = {
  'api-key': "This route takes an API key (POST /account/api-keys), not a session's access token.",
  jwt: "This route takes a session's access token (POST /auth/login), not an API key.",
};

/** 401 `unauthorized` for a token of the other kind than the route takes (S-18). */
export function wrongTokenType(taken: TokenKind): AppError {
  return new AppError('unauthorized', TAKEN[taken], { details: { reason: 'wrong_token_type' } });
}

/** The bearer token of a request; null where there is none in the header, as tokens elsewhere do not count (S-18). */
export function bearerToken(request: IncomingMessage): string | null {
  return HEADER.exec(request.headers.authorization ?? '')?.[1] ?? null;
}

/** The kind of a token, by its shape alone (S-18); null where it has neither. */
function kindOf(token: string): TokenKind | null {
  if (token.startsWith(API_KEY_START)) return 'api-key';
  return JWT_SHAPE.test(token) ? 'jwt' : null;
}

/** The token of a request, which must have the shape of one kind or the other. */
export function anyToken(request: Request): { readonly kind: TokenKind; readonly token: string } {
  if (request.headers.authorization === undefined) throw unauthorized('missing');
  const token = bearerToken(request);
  const kind = token === null ? null : kindOf(token);
  if (token === null || kind === null) throw unauthorized('invalid');
  return { kind, token };
}

/** The token of a request that must be of the given kind (S-18). */
export function requireToken(request: Request, kind: TokenKind): string {
  const sent = anyToken(request);
  if (sent.kind !== kind) throw wrongTokenType(kind);
  return sent.token;
}

import type { Response } from 'express';
import type { SignedInUser } from '../users/users.service.js';
import type { MessageDto, SignedInDto, SignUpPendingDto, UserDto } from './auth.dto.js';
import { setRefreshCookie } from './refresh-cookie.js';
import type { SignedIn } from './sessions/session-starter.js';

const SIGN_UP_MESSAGE = 'Check your mail: a link to verify your address is on its way.';

/** The answer of every endpoint that signs somebody in: access token in the body, refresh token in the cookie (S-19). */
export function answerSignedIn(response: Response, signedIn: SignedIn): SignedInDto {
  setRefreshCookie(response, signedIn.refreshToken, signedIn.expiresAt);
  return { access_token: signedIn.accessToken, user: toUserDto(signedIn.user) };
}

/** The answer to a sign-up: a session, or the id of a pending sign-up (specification.md 4.1). */
export function answerSignUp(response: Response, outcome: SignedIn | string): SignedInDto | SignUpPendingDto {
  if (typeof outcome === 'string') return { message: SIGN_UP_MESSAGE, user_id: outcome };
  return answerSignedIn(response, outcome);
}

/** The answer of an endpoint that has nothing to return but that its work is done. */
export async function messageAfter(work: Promise<void>, message: string): Promise<MessageDto> {
  await work;
  return { message };
}

function toUserDto(user: SignedInUser): UserDto {
  const { id, email, name, avatarUrl, role } = user;
  return { id, email, name, avatar_url: avatarUrl, role };
}

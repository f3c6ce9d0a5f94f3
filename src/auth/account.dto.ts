import { ApiProperty } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { NewPasswordField, OAuthCallbackDto, PasswordField, toOAuthCode } from './auth.dto.js';
import type { Proof } from './account/confirmation.service.js';
import { validateAs } from '../platform/http/validation.js';
import type { PasswordChange } from './passwords/password-change.service.js';
import type { Session } from './sessions/sessions.repository.js';

export class ChangePasswordDto {
  @PasswordField('The password until now.')
  current_password: string;

  @NewPasswordField('seven lanterns over a quiet river')
  new_password: string;
}

export function toPasswordChange(body: ChangePasswordDto): PasswordChange {
  return { currentPassword: body.current_password, newPassword: body.new_password };
}

export class DeleteAccountDto {
  @PasswordField('Your password; set one by a reset first if you have none.')
  password: string;
}

/** Body by which a user with a password confirms who they are (S-59). */
export class PasswordConfirmationDto {
  @PasswordField('Your password.')
  password: string;
}

/** Body by which a user of a sign-in provider confirms who they are (S-59). */
export class ProviderConfirmationDto extends OAuthCallbackDto {
  @ApiProperty({ enum: ['google', 'github'], example: 'google' })
  @IsIn(['google', 'github'], { message: 'must be google or github' })
  provider: string;
}

/** Reads either shape; throws `bad_request` for every other, and for both at once. */
export async function toProof(body: unknown): Promise<Proof> {
  if (typeof body !== 'object' || body === null || !('provider' in body)) {
    return validateAs(PasswordConfirmationDto, body);
  }
  const { provider, ...rest } = await validateAs(ProviderConfirmationDto, body);
  return { provider, code: toOAuthCode(rest) };
}

/** One session (contract.md 4). */
export class SessionDto {
  @ApiProperty({ description: "The `sid` of the session's access tokens.", example: 'ses_01KAMXB3T6Y7W2S4Q8Z0C1V5N9' })
  id: string;

  @ApiProperty({ description: 'When it signed in.', format: 'date-time', example: '2026-01-31T12:00:00.000Z' })
  created_at: string;

  @ApiProperty({ description: 'When it last refreshed.', format: 'date-time', example: '2026-01-31T12:30:00.000Z' })
  last_used_at: string;

  @ApiProperty({ description: 'When it must sign in again.', format: 'date-time', example: '2026-03-02T12:00:00.000Z' })
  expires_at: string;

  @ApiProperty({ description: 'Address that signed in.', example: '203.0.113.7' })
  ip: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Client that signed in.',
    example: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0',
  })
  user_agent: string | null;

  @ApiProperty({ description: 'Whether it is the one that asks.', example: true })
  current: boolean;
}

export class SessionListDto {
  @ApiProperty({ type: [SessionDto] })
  sessions: SessionDto[];
}

export class EndedSessionDto {
  @ApiProperty({ description: 'For people.', example: 'The session has ended.' })
  message: string;

  @ApiProperty({ example: 'ses_01KAMXB3T6Y7W2S4Q8Z0C1V5N9' })
  id: string;
}

function toSessionDto(session: Session, currentId: string): SessionDto {
  return {
    id: session.id,
    created_at: session.createdAt.toISOString(),
    last_used_at: session.lastUsedAt.toISOString(),
    expires_at: session.expiresAt.toISOString(),
    ip: session.ip,
    user_agent: session.userAgent === '' ? null : session.userAgent,
    current: session.id === currentId,
  };
}

export function toSessionListDto(sessions: readonly Session[], currentId: string): SessionListDto {
  return { sessions: sessions.map((session) => toSessionDto(session, currentId)) };
}

export function toEndedSessionDto(id: string): EndedSessionDto {
  return { message: 'The session has ended.', id };
}

import { ApiProperty } from '@nestjs/swagger';
import { IsDisplayName } from '../platform/http/display-text.js';
import { EmailField } from '../platform/http/email-address.js';
import type { User } from '../users/users.service.js';
import { NewPasswordField, PasswordField } from './passwords/password-fields.js';
import { MailTokenField } from './tokens/token-field.js';

/** The user as the auth endpoints show him (specification 2.1). */
export class UserDto {
  @ApiProperty({ description: 'User id.', example: 'usr_01KAMXB3T6Y7W2S4Q8Z0C1V5N9' })
  id: string;

  @ApiProperty({ description: 'E-mail address, lower-cased.', example: 'ada@example.com' })
  email: string;

  @ApiProperty({ description: 'Display name.', example: 'Ada Lovelace' })
  name: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Address of the profile image.',
    example: 'https://example.com/ada.png',
  })
  avatar_url: string | null;

  @ApiProperty({ description: 'Role.', example: 'user' })
  role: string;
}

/** A session has begun or goes on; its refresh token is in the cookie (specification 4.2). */
export class SignedInDto {
  @ApiProperty({
    description: 'JWT for `Authorization: Bearer` on /account/* and /auth/logout.',
    example: 'eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiJ1c3JfMDFLQU1Y.c2lnbmF0dXJl',
  })
  access_token: string;

  @ApiProperty({ type: UserDto })
  user: UserDto;
}

/** An open-mode sign-up that waits for its address to be proved (specification 4.1). */
export class SignUpPendingDto {
  @ApiProperty({ example: 'Check your mail: a link to verify your address is on its way.' })
  message: string;

  @ApiProperty({ description: 'The id that the account will have.', example: 'usr_01KAMXB3T6Y7W2S4Q8Z0C1V5N9' })
  user_id: string;
}

export class MessageDto {
  @ApiProperty({ description: 'For people.', example: 'Done.' })
  message: string;
}

/** Says so once the work is done. */
export async function messageAfter(work: Promise<void>, message: string): Promise<MessageDto> {
  await work;
  return { message };
}

export class SignUpDto {
  @EmailField()
  email: string;

  @NewPasswordField('plum carousel nine harbour')
  password: string;

  @ApiProperty({ description: 'Display name, 1 to 100 characters.', example: 'Ada Lovelace' })
  @IsDisplayName()
  name: string;
}

export class LogInDto {
  @EmailField()
  email: string;

  @PasswordField('The password, every byte of it.')
  password: string;
}

export class VerifyEmailDto {
  @MailTokenField()
  token: string;
}

export function toUserDto(user: User): UserDto {
  const { id, email, name, avatarUrl, role } = user;
  return { id, email, name, avatar_url: avatarUrl, role };
}

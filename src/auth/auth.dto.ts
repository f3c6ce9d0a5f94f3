import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsOptional, ValidateIf } from 'class-validator';
import { IsDisplayName } from '../platform/http/display-text.js';
import { EmailField } from '../platform/http/email-address.js';
import { MailTokenField, NewPasswordField, PasswordField } from './auth.fields.js';

/** The user as the auth endpoints show it (specification.md 2.1). */
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

/** A session has begun or goes on; its refresh token is in the cookie (specification.md 4.2). */
export class SignedInDto {
  @ApiProperty({
    description: 'JWT for `Authorization: Bearer` on /account/* and /auth/logout.',
    example: 'eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiJ1c3JfMDFLQU1Y.c2lnbmF0dXJl',
  })
  access_token: string;

  @ApiProperty({ type: UserDto })
  user: UserDto;
}

/** A pending sign-up: its address is still to be proved (specification.md 4.1). */
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

  @ApiPropertyOptional({
    description: 'Whether the new session may take the place of that of another account which is signed in here.',
    default: false,
  })
  @IsOptional()
  @IsBoolean({ message: 'must be true or false' })
  replace_session?: boolean;
}

export class ForgotPasswordDto {
  @EmailField()
  email: string;
}

export class ResetPasswordDto {
  @MailTokenField()
  token: string;

  @NewPasswordField('seven lanterns over a quiet river')
  new_password: string;

  @ApiPropertyOptional({
    description:
      'Whether the API key ends too. Send true where somebody else may know the password, or have made a key.',
    default: false,
    example: true,
  })
  @ValidateIf((body: ResetPasswordDto) => body.revoke_api_keys !== undefined)
  @IsBoolean({ message: 'must be true or false' })
  revoke_api_keys?: boolean;
}

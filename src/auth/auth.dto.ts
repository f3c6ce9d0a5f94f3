import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsOptional, IsString, Matches, MaxLength, ValidateIf } from 'class-validator';
import { IsDisplayName } from '../platform/http/display-text.js';
import { EmailField } from '../platform/http/email-address.js';
import type { OAuthCode, ProviderInvitation } from './oauth/oauth-provider.js';

/** As large as a body may be: what is too long for a password, the policy refuses with 422 `weak_password` (contract.md 3, S-1). */
const BODY_LENGTH = 65_536;
/** No password that was ever set is longer: 128 code points of two UTF-16 units (S-53). Mailed tokens have 43. */
const MAX_LENGTH = 256;

function TextField(maxLength: number, message = `must have at most ${maxLength} characters`): PropertyDecorator {
  return applyDecorators(IsString({ message: 'must be a text' }), MaxLength(maxLength, { message }));
}

/** A password to be set; the policy decides whether it is good enough. */
export function NewPasswordField(example: string): PropertyDecorator {
  const description = '12 to 128 characters of any script; common passwords and the address itself are refused.';
  return applyDecorators(ApiProperty({ description, example }), TextField(BODY_LENGTH, 'is too long'));
}

/** A password to be checked against the one that is set; a longer one than can be set is not hashed (S-53). */
export function PasswordField(description: string): PropertyDecorator {
  const example = 'plum carousel nine harbour';
  return applyDecorators(ApiProperty({ description, maxLength: MAX_LENGTH, example }), TextField(MAX_LENGTH));
}

/** The token of a mail's link (S-9). */
function MailTokenField(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({
      description: 'The token from the mail: what stands behind `#token=` in its link.',
      maxLength: MAX_LENGTH,
      example: '3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    }),
    TextField(MAX_LENGTH),
  );
}

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
    format: 'password',
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

/** The characters and length of a code (RFC 6749 A.11, S-14). */
const CODE = /^[\x20-\x7e]{1,2048}$/;

/** What the provider sent back to the client, and how the client began (specification.md 4.6). */
export class OAuthCallbackDto {
  @ApiProperty({ description: 'The authorization code.', maxLength: 2048, example: '4/0AbUR2VMeHxU' })
  @Matches(CODE, { message: 'must be 1 to 2048 printable ASCII characters' })
  code: string;

  @ApiProperty({
    description: 'The PKCE verifier (RFC 7636): 43 to 128 characters.',
    example: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
  })
  @Matches(/^[A-Za-z0-9\-._~]{43,128}$/, { message: 'must be 43 to 128 letters, digits and -._~' })
  code_verifier: string;

  @ApiProperty({
    description: 'The redirect address that was used.',
    example: 'http://localhost:3000/dashboard/oauth/callback',
  })
  @IsString({ message: 'must be a text' })
  @MaxLength(2048, { message: 'must have at most 2048 characters' })
  redirect_uri: string;
}

export class ProviderDto {
  @ApiProperty({ enum: ['google', 'github'], example: 'google' })
  id: string;

  @ApiProperty({ description: 'Send the user here.', example: 'https://accounts.google.com/o/oauth2/v2/auth' })
  authorization_url: string;

  @ApiProperty({ example: '1234.apps.googleusercontent.com' })
  client_id: string;

  @ApiProperty({ example: 'openid email profile' })
  scope: string;
}

export class ProviderListDto {
  @ApiProperty({ type: [ProviderDto] })
  providers: ProviderDto[];
}

export function toProviderDto(provider: ProviderInvitation & { readonly id: string }): ProviderDto {
  const { id, authorizationUrl, clientId, scope } = provider;
  return { id, authorization_url: authorizationUrl, client_id: clientId, scope };
}

export function toOAuthCode(body: OAuthCallbackDto): OAuthCode {
  return { code: body.code, codeVerifier: body.code_verifier, redirectUri: body.redirect_uri };
}

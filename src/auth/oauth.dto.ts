import { ApiProperty } from '@nestjs/swagger';
import { IsString, Matches, MaxLength } from 'class-validator';
import type { OAuthCode, ProviderInvitation } from './oauth/oauth-provider.js';

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

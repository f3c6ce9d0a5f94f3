import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ValidateIf } from 'class-validator';
import { IsAvatarUrl, IsDisplayName } from '../platform/http/display-text.js';

/** The user's own profile (specification.md 2.2). */
export class ProfileDto {
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

  @ApiProperty({ description: 'Whether the e-mail address has been verified.', example: true })
  email_verified: boolean;

  @ApiProperty({
    enum: ['email', 'google', 'github'],
    isArray: true,
    description: 'What signs this user in: `email` is a password.',
    example: ['email'],
  })
  providers: string[];

  @ApiProperty({ description: 'When the account was made.', format: 'date-time', example: '2026-01-31T12:00:00.000Z' })
  created_at: string;
}

/** Changes to a profile; what is left out stays (specification.md 4.11, contract.md 4). */
export class ProfileChangesDto {
  @ApiPropertyOptional({ description: 'Display name, 1 to 100 characters.', example: 'Ada Lovelace' })
  @ValidateIf((_, value) => value !== undefined)
  @IsDisplayName()
  display_name?: string;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    maxLength: 2048,
    description: 'An https: address; null clears it. The service never fetches it.',
    example: 'https://example.com/ada.png',
  })
  @ValidateIf((_, value) => value !== undefined && value !== null)
  @IsAvatarUrl()
  avatar_url?: string | null;
}

import { ApiProperty } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import type { PasswordChange } from '../passwords/password-change.service.js';

const PASSWORD_RULE = '12 to 128 characters of any script; common passwords and the address itself are refused.';

export class ChangePasswordDto {
  @ApiProperty({ description: 'The password until now.', example: 'plum carousel nine harbour' })
  @IsString({ message: 'must be a text' })
  current_password: string;

  @ApiProperty({ description: PASSWORD_RULE, example: 'seven lanterns over a quiet river' })
  @IsString({ message: 'must be a text' })
  new_password: string;
}

export function toPasswordChange(body: ChangePasswordDto): PasswordChange {
  return { currentPassword: body.current_password, newPassword: body.new_password };
}

export class DeleteAccountDto {
  @ApiProperty({
    description: 'Your password; set one by a reset first if you have none.',
    example: 'plum carousel nine harbour',
  })
  @IsString({ message: 'must be a text' })
  password: string;
}

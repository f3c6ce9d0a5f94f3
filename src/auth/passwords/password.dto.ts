import { ApiProperty } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { EmailField } from '../../platform/requests/email-address.js';

export class ForgotPasswordDto {
  @EmailField()
  email: string;
}

export class ResetPasswordDto {
  @ApiProperty({
    description: 'The token from the mail: what stands behind `#token=` in its link.',
    example: '3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  })
  @IsString({ message: 'must be a text' })
  token: string;

  @ApiProperty({
    description: '12 to 128 characters of any script; common passwords and the address itself are refused.',
    example: 'seven lanterns over a quiet river',
  })
  @IsString({ message: 'must be a text' })
  new_password: string;
}

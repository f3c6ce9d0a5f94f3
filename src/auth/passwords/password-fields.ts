import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsString, MaxLength } from 'class-validator';

/** As large as a body may be: what is too long for a password, the policy tells with 422 `weak_password` (DESIGN 3). */
const BODY_LENGTH = 65_536;
/** No password that was ever set is longer: 128 code points of two UTF-16 units (S-53). */
const MAX_LENGTH = 256;

/** A password to be set; the policy judges it. */
export function NewPasswordField(example: string): PropertyDecorator {
  return applyDecorators(
    ApiProperty({
      description: '12 to 128 characters of any script; common passwords and the address itself are refused.',
      example,
    }),
    IsString({ message: 'must be a text' }),
    MaxLength(BODY_LENGTH, { message: 'is too long' }),
  );
}

/** A password to be checked against the one that is set; a longer one than can be set is not hashed (S-53). */
export function PasswordField(description: string): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ description, maxLength: MAX_LENGTH, example: 'plum carousel nine harbour' }),
    IsString({ message: 'must be a text' }),
    MaxLength(MAX_LENGTH, { message: `must have at most ${MAX_LENGTH} characters` }),
  );
}

import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsString, MaxLength } from 'class-validator';

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
export function MailTokenField(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({
      description: 'The token from the mail: what stands behind `#token=` in its link.',
      maxLength: MAX_LENGTH,
      example: '3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    }),
    TextField(MAX_LENGTH),
  );
}

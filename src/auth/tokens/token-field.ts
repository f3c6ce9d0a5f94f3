import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsString, MaxLength } from 'class-validator';

/** Ours have 43. */
const MAX_LENGTH = 256;

/** The token of a mail's link (S-9). */
export function MailTokenField(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({
      description: 'The token from the mail: what stands behind `#token=` in its link.',
      maxLength: MAX_LENGTH,
      example: '3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    }),
    IsString({ message: 'must be a text' }),
    MaxLength(MAX_LENGTH, { message: `must have at most ${MAX_LENGTH} characters` }),
  );
}

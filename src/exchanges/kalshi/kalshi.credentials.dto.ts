import { ApiProperty } from '@nestjs/swagger';
import { Matches, Validate, ValidatorConstraint, type ValidatorConstraintInterface } from 'class-validator';
import { isSigningKey } from './kalshi.signer.js';

/** Room for an RSA key of 8192 bits with its line breaks escaped. */
const LONGEST_KEY = 8_192;

@ValidatorConstraint({ name: 'isSigningKey' })
class SigningKeyConstraint implements ValidatorConstraintInterface {
  validate(value: unknown): boolean {
    return typeof value === 'string' && value.length <= LONGEST_KEY && isSigningKey(value);
  }

  defaultMessage(): string {
    return 'must be an unencrypted private key in PEM: RSA of 2048 bits or more, or Ed25519';
  }
}

/** Body of `PUT /account/credentials/kalshi` (DESIGN 4, kalshi.md 2). */
export class KalshiCredentialsDto {
  @ApiProperty({
    description: 'The id of the Kalshi API key.',
    minLength: 1,
    maxLength: 128,
    example: 'a952bcbe-ec3b-4b5b-b8f9-11dae589608c',
  })
  @Matches(/^[\x21-\x7e]{1,128}$/, { message: 'must be 1 to 128 visible ASCII characters' })
  access_key: string;

  @ApiProperty({
    description:
      'Its private key as Kalshi hands it out: PEM, RSA of 2048 bits or more, or Ed25519, not encrypted. ' +
      'Line breaks may be written as `\\n`.',
    maxLength: LONGEST_KEY,
    format: 'password',
    example: '-----BEGIN RSA PRIVATE KEY-----\n…\n-----END RSA PRIVATE KEY-----',
  })
  @Validate(SigningKeyConstraint)
  private_key: string;
}

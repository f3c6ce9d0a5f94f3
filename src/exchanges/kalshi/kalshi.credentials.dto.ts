import { ApiProperty } from '@nestjs/swagger';
import { Matches, Validate, ValidatorConstraint, type ValidatorConstraintInterface } from 'class-validator';
import type { Secret } from '../../platform/secrets/secret.js';
import type { Opened } from '../credentials.contract.js';
import { canSign, isSigningKey, LONGEST_KEY } from './kalshi.signer.js';

const KEY_RULE =
  'must be an unencrypted private key in PEM: RSA of 2048 to 4096 bits with an odd public exponent of at most 2^32, or Ed25519';

@ValidatorConstraint({ name: 'isSigningKey' })
class SigningKeyConstraint implements ValidatorConstraintInterface {
  validate(value: unknown): boolean {
    return typeof value === 'string' && isSigningKey(value);
  }

  defaultMessage(): string {
    return KEY_RULE;
  }
}

/** What is no such key at all, the constraint above tells (S-54). */
@ValidatorConstraint({ name: 'canSign', async: true })
class WorkingKeyConstraint implements ValidatorConstraintInterface {
  async validate(value: unknown): Promise<boolean> {
    return typeof value !== 'string' || !isSigningKey(value) || (await canSign(value));
  }

  defaultMessage(): string {
    return 'must be a private key that signs: the parts of this one do not fit each other';
  }
}

/** Body of `PUT /account/credentials/kalshi` (contract.md 4, kalshi.md 2). */
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
      'Its private key as Kalshi hands it out: PEM, not encrypted, Ed25519 (`BEGIN PRIVATE KEY`, the default there since ' +
      'October 2026) or RSA of 2048 to 4096 bits (`BEGIN RSA PRIVATE KEY` or `BEGIN PRIVATE KEY`). ' +
      'Line breaks may be written as `\\n`.',
    maxLength: LONGEST_KEY,
    format: 'password',
    example: '-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----',
  })
  @Validate(SigningKeyConstraint)
  @Validate(WorkingKeyConstraint)
  private_key: string;
}

/** What is kept: the body, and the key in the form that signs fast; that is missing where it was stored before there was one. */
export type KalshiCredentials = Opened<KalshiCredentialsDto> & { readonly signing_key?: Secret };

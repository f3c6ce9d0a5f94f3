import { ApiProperty } from '@nestjs/swagger';
import {
  IsIn,
  Length,
  Matches,
  MaxLength,
  Validate,
  ValidateIf,
  type ValidationArguments,
  ValidatorConstraint,
  type ValidatorConstraintInterface,
} from 'class-validator';
import { Secret } from '../../platform/secrets/secret.js';
import { ADDRESS } from './polymarket.ids.js';
import { addressOfPrivateKey, PRIVATE_KEY } from './session-keys/private-key.js';

/** Visible ASCII, with spaces inside only: anything else cannot stand in a request header unchanged. */
export const HEADER_TEXT = /^(?! )[\x20-\x7e]+(?<! )$/;
/** Base64 of at least one byte, of either alphabet, with or without padding. */
export const BASE64 = /^(?=.)(?:[\w+/-]{4})*(?:[\w+/-]{2}(?:==|[\w+/-]=?)?)?$/;

const SIGNATURE_TYPES = [0, 1, 2, 3];
const DEPOSIT_WALLET = 3;

function needsSignatureType(body: PolymarketCredentialsDto): boolean {
  const { wallet_address, signer_address, signature_type, session_key } = body;
  if (signature_type !== undefined) return true;
  if (session_key !== undefined) return false;
  const both: unknown[] = [wallet_address, signer_address];
  return both.every((address) => typeof address === 'string') && !sameAddress(wallet_address, signer_address ?? '');
}

/** The API credentials are all there or, beside a session key, all missing: the exchange issues them then. */
function needsApiCredentials({ session_key, api_key, secret, passphrase }: PolymarketCredentialsDto): boolean {
  const all: unknown[] = [api_key, secret, passphrase];
  return session_key === undefined || all.some((field) => field !== undefined);
}

/** The address of the session key in a body; null where there is none. */
function sessionAddress({ session_key }: Partial<PolymarketCredentialsDto>): string | null {
  return typeof session_key === 'string' ? addressOfPrivateKey(new Secret(session_key)) : null;
}

/** A key of the account itself could move its funds: that is what a session key cannot do (S-58). */
@ValidatorConstraint({ name: 'isSessionKey' })
class SessionKeyConstraint implements ValidatorConstraintInterface {
  validate(_: unknown, { object }: ValidationArguments): boolean {
    const { wallet_address }: { wallet_address?: unknown } = object;
    const address = sessionAddress(object);
    return address !== null && !(typeof wallet_address === 'string' && sameAddress(address, wallet_address));
  }

  defaultMessage(): string {
    return 'must be the private key of a session key, 0x and 64 hex digits, and not the key of wallet_address';
  }
}

/** Beside a session key, the signer is that key. */
@ValidatorConstraint({ name: 'isSessionAddress' })
class SignerConstraint implements ValidatorConstraintInterface {
  validate(value: unknown, { object }: ValidationArguments): boolean {
    const address = sessionAddress(object);
    return address === null || typeof value !== 'string' || sameAddress(address, value);
  }

  defaultMessage(): string {
    return 'must be the address of session_key, or be left out';
  }
}

/** Session keys trade for Deposit Wallets alone (polymarket.md 11). */
@ValidatorConstraint({ name: 'isSessionType' })
class SignatureTypeConstraint implements ValidatorConstraintInterface {
  validate(value: unknown, { object }: ValidationArguments): boolean {
    const { session_key }: { session_key?: unknown } = object;
    return session_key === undefined || value === DEPOSIT_WALLET;
  }

  defaultMessage(): string {
    return 'must be 3 beside session_key, or be left out';
  }
}

/** Addresses are compared without regard to the case that carries their checksum. */
export function sameAddress(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/**
 * Body of `PUT /account/credentials/polymarket` (contract.md 4 and 5.9, polymarket.md 3). Beside `session_key` the API credentials may
 * be missing; what is stored has them, and has no `session_key`.
 */
export class PolymarketCredentialsDto {
  @ApiProperty({
    description:
      'The API key of the CLOB. Key, secret and passphrase may only be left out together, beside session_key.',
    required: false,
    minLength: 1,
    maxLength: 128,
    example: '7b1e2d60-6f9a-4dd7-8f3e-21b8f94c77a2',
  })
  @ValidateIf(needsApiCredentials)
  @Length(1, 128)
  @Matches(HEADER_TEXT, { message: 'api_key must be visible ASCII characters' })
  api_key: string;

  @ApiProperty({
    description: 'The secret that came with the key: base64 of either alphabet, padding optional.',
    required: false,
    minLength: 2,
    maxLength: 512,
    writeOnly: true,
  })
  @ValidateIf(needsApiCredentials)
  @MaxLength(512)
  @Matches(BASE64, { message: 'secret must be base64 of at least one byte' })
  secret: string;

  @ApiProperty({
    description: 'The passphrase that came with the key.',
    required: false,
    minLength: 1,
    maxLength: 256,
    writeOnly: true,
  })
  @ValidateIf(needsApiCredentials)
  @Length(1, 256)
  @Matches(HEADER_TEXT, { message: 'passphrase must be visible ASCII characters' })
  passphrase: string;

  @ApiProperty({
    description: 'The account wallet that holds the funds: the maker of every order.',
    pattern: '^0x[0-9a-fA-F]{40}$',
    example: '0x8ba1f109551bD432803012645Ac136ddd64DBA72',
  })
  @Matches(ADDRESS, { message: 'wallet_address must be 0x and 40 hex digits' })
  wallet_address: string;

  @ApiProperty({
    description: 'The wallet that created the API key, where it is another one.',
    required: false,
    pattern: '^0x[0-9a-fA-F]{40}$',
  })
  @ValidateIf((body: PolymarketCredentialsDto) => body.signer_address !== undefined)
  @Matches(ADDRESS, { message: 'signer_address must be 0x and 40 hex digits' })
  @Validate(SignerConstraint)
  signer_address?: string;

  @ApiProperty({
    description:
      'Kind of the account wallet: 0 plain wallet, 1 proxy, 2 safe, 3 deposit wallet. ' +
      'Default 0; required where the two addresses differ.',
    required: false,
    type: 'integer',
    enum: SIGNATURE_TYPES,
  })
  @ValidateIf(needsSignatureType)
  @IsIn(SIGNATURE_TYPES, {
    message: 'signature_type must be an integer from 0 to 3, and is required where the two addresses differ',
  })
  @Validate(SignatureTypeConstraint)
  signature_type?: number;

  @ApiProperty({
    description:
      'The private key of a session key that may trade for the wallet. It replaces whatever was stored; the signer is its ' +
      'address then, and the kind of the wallet is 3.',
    required: false,
    pattern: '^0x[0-9a-fA-F]{64}$',
    writeOnly: true,
  })
  @ValidateIf((body: PolymarketCredentialsDto) => body.session_key !== undefined)
  @Matches(PRIVATE_KEY, { message: 'session_key must be 0x and 64 hex digits' })
  @Validate(SessionKeyConstraint)
  session_key?: string;
}

import { ApiProperty } from '@nestjs/swagger';
import { IsIn, Length, Matches, MaxLength, ValidateIf } from 'class-validator';
import { ADDRESS } from './polymarket.ids.js';

/** Visible ASCII, with spaces inside only: anything else cannot stand in a request header unchanged. */
export const HEADER_TEXT = /^(?! )[\x20-\x7e]+(?<! )$/;
/** Base64 of at least one byte, of either alphabet, with or without padding. */
export const BASE64 = /^(?=.)(?:[\w+/-]{4})*(?:[\w+/-]{2}(?:==|[\w+/-]=?)?)?$/;

const SIGNATURE_TYPES = [0, 1, 2, 3];

function needsSignatureType({ wallet_address, signer_address, signature_type }: PolymarketCredentialsDto): boolean {
  if (signature_type !== undefined) return true;
  const both: unknown[] = [wallet_address, signer_address];
  return both.every((address) => typeof address === 'string') && !sameAddress(wallet_address, signer_address ?? '');
}

/** Addresses are compared without regard to the case that carries their checksum. */
export function sameAddress(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** Body of `PUT /account/credentials/polymarket` (contract.md 4, polymarket.md 3). */
export class PolymarketCredentialsDto {
  @ApiProperty({
    description: 'The API key of the CLOB.',
    minLength: 1,
    maxLength: 128,
    example: '7b1e2d60-6f9a-4dd7-8f3e-21b8f94c77a2',
  })
  @Length(1, 128)
  @Matches(HEADER_TEXT, { message: 'api_key must be visible ASCII characters' })
  api_key: string;

  @ApiProperty({
    description: 'The secret that came with the key: base64 of either alphabet, padding optional.',
    minLength: 2,
    maxLength: 512,
    writeOnly: true,
  })
  @MaxLength(512)
  @Matches(BASE64, { message: 'secret must be base64 of at least one byte' })
  secret: string;

  @ApiProperty({
    description: 'The passphrase that came with the key.',
    minLength: 1,
    maxLength: 256,
    writeOnly: true,
  })
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
  signature_type?: number;
}

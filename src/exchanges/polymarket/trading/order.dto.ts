import { ApiProperty } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  IsBoolean,
  IsIn,
  IsInt,
  IsObject,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { TIMES_IN_FORCE, type TimeInForce } from '../../unified.trading.dto.js';
import { ADDRESS } from '../polymarket.ids.js';
import { UINT } from '../position-ids.js';

const POSITIVE = /^[1-9]\d{0,77}$/;
const BYTES32 = /^0x[0-9a-fA-F]{64}$/;
const BYTES = /^0x(?:[0-9a-fA-F]{2})+$/;
const EPOCH = /^(?:0|[1-9]\d{0,19})$/;
/** A wrapped signature of a deposit wallet has a few hundred bytes. */
const SIGNATURE_LENGTH = 16_384;
const ZERO32 = `0x${'0'.repeat(64)}`;

/** The largest salt has 16 digits. */
const SALT_DIGITS = /^\d{1,16}$/;
const SALT = { message: `salt must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}, as a number or as digits` };

const AMOUNT = { pattern: '^[1-9][0-9]{0,77}$' } as const;
const WALLET = { pattern: '^0x[0-9a-fA-F]{40}$', example: '0x8ba1f109551bD432803012645Ac136ddd64DBA72' } as const;
const HEX32 = { pattern: '^0x[0-9a-fA-F]{64}$', example: ZERO32 } as const;

/** The official client emits the salt as digits, but posts it as the number that the exchange wants (polymarket.md 7). */
function toSalt(value: unknown): unknown {
  return typeof value === 'string' && SALT_DIGITS.test(value) ? Number(value) : value;
}

/** An order of the exchange's version 2 as wallet libraries emit it, in the exchange's own camelCase (polymarket.md 7). */
export class SignedOrderDto {
  @ApiProperty({
    oneOf: [
      { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
      { type: 'string', pattern: '^[0-9]{1,16}$' },
    ],
    description: 'As a number or as digits, at most 2^53 - 1.',
    example: 479249096354,
  })
  @Transform(({ value }) => toSalt(value))
  @IsInt(SALT)
  @Min(0, SALT)
  @Max(Number.MAX_SAFE_INTEGER, SALT)
  salt: number;

  @ApiProperty({ ...WALLET, description: 'Must be the stored wallet_address.' })
  @Matches(ADDRESS, { message: 'maker must be 0x and 40 hex digits' })
  maker: string;

  @ApiProperty({ ...WALLET, description: 'The stored signer_address; for signatureType 3 the stored wallet_address.' })
  @Matches(ADDRESS, { message: 'signer must be 0x and 40 hex digits' })
  signer: string;

  @ApiProperty({ description: 'The outcome id.', pattern: '^(0|[1-9][0-9]{0,77})$' })
  @Matches(UINT, { message: 'tokenId must be a whole number as text' })
  tokenId: string;

  @ApiProperty({ ...AMOUNT, description: 'What the maker gives, in millionths.', example: '5200000' })
  @Matches(POSITIVE, { message: 'makerAmount must be a whole number above 0 as text' })
  makerAmount: string;

  @ApiProperty({ ...AMOUNT, description: 'What the maker takes, in millionths.', example: '10000000' })
  @Matches(POSITIVE, { message: 'takerAmount must be a whole number above 0 as text' })
  takerAmount: string;

  @ApiProperty({ enum: ['BUY', 'SELL'] })
  @IsIn(['BUY', 'SELL'])
  side: 'BUY' | 'SELL';

  @ApiProperty({ enum: [0, 1, 2, 3], type: 'integer', description: 'Must be the stored signature_type.' })
  @IsIn([0, 1, 2, 3])
  signatureType: number;

  @ApiProperty({ description: 'Milliseconds since 1970.', example: '1792000000123' })
  @Matches(EPOCH, { message: 'timestamp must be milliseconds since 1970 as text' })
  timestamp: string;

  @ApiProperty({ description: 'Seconds since 1970; "0" where the order has no expiry.', example: '0' })
  @Matches(EPOCH, { message: 'expiration must be seconds since 1970 as text, or "0"' })
  expiration: string;

  @ApiProperty(HEX32)
  @Matches(BYTES32, { message: 'metadata must be 0x and 64 hex digits' })
  metadata: string;

  @ApiProperty(HEX32)
  @Matches(BYTES32, { message: 'builder must be 0x and 64 hex digits' })
  builder: string;

  @ApiProperty({ description: "The wallet's signature.", pattern: '^0x([0-9a-fA-F]{2})+$' })
  @MaxLength(SIGNATURE_LENGTH)
  @Matches(BYTES, { message: 'signature must be 0x and hex digits' })
  signature: string;
}

/** Body of `POST /polymarket/orders`: the stored credentials cannot sign an order, so it comes signed (unified-schema.md 7). */
export class PolymarketOrderDto {
  @ApiProperty({ type: SignedOrderDto })
  @IsObject()
  @ValidateNested()
  @Type(() => SignedOrderDto)
  signed_order: SignedOrderDto;

  @ApiProperty({
    enum: TIMES_IN_FORCE,
    default: 'gtc',
    required: false,
    description: '`ioc` is the exchange\'s FAK. `gtd` needs a signed expiration, all others need "0".',
  })
  @IsIn(TIMES_IN_FORCE)
  time_in_force: TimeInForce = 'gtc';

  @ApiProperty({ type: Boolean, required: false, description: 'Only with gtc and gtd.' })
  @ValidateIf((body: PolymarketOrderDto) => body.post_only !== undefined)
  @IsBoolean()
  post_only?: boolean;
}

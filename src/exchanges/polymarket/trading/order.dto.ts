import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
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
  Validate,
  ValidateIf,
  ValidateNested,
  type ValidationArguments,
  ValidatorConstraint,
  type ValidatorConstraintInterface,
} from 'class-validator';
import { ExpiryConstraint, PriceConstraint, SizeConstraint } from '../../order-fields.js';
import { type Side, SIDES, TIMES_IN_FORCE, type TimeInForce } from '../../unified.trading.dto.js';
import { ADDRESS, POLYMARKET_IDS } from '../polymarket.ids.js';
import { UINT } from '../position-ids.js';

const POSITIVE = /^[1-9]\d{0,77}$/;
const BYTES32 = /^0x[0-9a-fA-F]{64}$/;
const BYTES = /^0x(?:[0-9a-fA-F]{2})+$/;
const EPOCH = /^(?:0|[1-9]\d{0,19})$/;
/** A wrapped signature of a deposit wallet has a few hundred bytes. */
const SIGNATURE_LENGTH = 16_384;
export const ZERO32 = `0x${'0'.repeat(64)}`;
/** No outcome is named by a longer text (S-53). */
const LONGEST_LABEL = 200;

/** The largest salt has 16 digits. */
const SALT_DIGITS = /^\d{1,16}$/;
const SALT = { message: `salt must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}, as a number or as digits` };

const EPOCH_DOCS = { pattern: '^(0|[1-9][0-9]{0,19})$' } as const;
const TOKEN_ID = '71321045679252212594626385532706912750332728571942532289631379312455583992563';
const AMOUNT = { pattern: '^[1-9][0-9]{0,77}$' } as const;
const WALLET = { pattern: '^0x[0-9a-fA-F]{40}$', example: '0x8ba1f109551bD432803012645Ac136ddd64DBA72' } as const;
const HEX32 = { pattern: '^0x[0-9a-fA-F]{64}$', example: ZERO32 } as const;

/** The official client emits the salt as digits, but posts it as the number that the exchange wants (polymarket.md 7.1). */
function toSalt(value: unknown): unknown {
  return typeof value === 'string' && SALT_DIGITS.test(value) ? Number(value) : value;
}

/** An order of the exchange's version 2 as wallet libraries emit it, in the exchange's own camelCase (polymarket.md 7.1). */
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

  @ApiProperty({ ...WALLET, description: 'Must be the stored wallet_address, or that of the session key.' })
  @Matches(ADDRESS, { message: 'maker must be 0x and 40 hex digits' })
  maker: string;

  @ApiProperty({ ...WALLET, description: 'The stored signer_address; for signatureType 3 the stored wallet_address.' })
  @Matches(ADDRESS, { message: 'signer must be 0x and 40 hex digits' })
  signer: string;

  @ApiProperty({ description: 'The outcome id.', pattern: '^(0|[1-9][0-9]{0,77})$', example: TOKEN_ID })
  @Matches(UINT, { message: 'tokenId must be a whole number as text' })
  tokenId: string;

  @ApiProperty({ ...AMOUNT, description: 'What the maker gives, in millionths.', example: '5200000' })
  @Matches(POSITIVE, { message: 'makerAmount must be a whole number above 0 as text' })
  makerAmount: string;

  @ApiProperty({ ...AMOUNT, description: 'What the maker takes, in millionths.', example: '10000000' })
  @Matches(POSITIVE, { message: 'takerAmount must be a whole number above 0 as text' })
  takerAmount: string;

  @ApiProperty({ enum: ['BUY', 'SELL'], example: 'BUY' })
  @IsIn(['BUY', 'SELL'])
  side: 'BUY' | 'SELL';

  @ApiProperty({
    enum: [0, 1, 2, 3],
    type: 'integer',
    example: 0,
    description: 'Must be the stored signature_type, or 3 with a session key.',
  })
  @IsIn([0, 1, 2, 3])
  signatureType: number;

  @ApiProperty({ description: 'Milliseconds since 1970.', ...EPOCH_DOCS, example: '1792000000123' })
  @Matches(EPOCH, { message: 'timestamp must be milliseconds since 1970 as text' })
  timestamp: string;

  @ApiProperty({ description: 'Seconds since 1970; "0" where the order has no expiry.', ...EPOCH_DOCS, example: '0' })
  @Matches(EPOCH, { message: 'expiration must be seconds since 1970 as text, or "0"' })
  expiration: string;

  @ApiProperty(HEX32)
  @Matches(BYTES32, { message: 'metadata must be 0x and 64 hex digits' })
  metadata: string;

  @ApiProperty(HEX32)
  @Matches(BYTES32, { message: 'builder must be 0x and 64 hex digits' })
  builder: string;

  @ApiProperty({
    description: "The wallet's signature.",
    pattern: '^0x([0-9a-fA-F]{2})+$',
    maxLength: SIGNATURE_LENGTH,
    example: `0x${'5f'.repeat(64)}1b`,
  })
  @MaxLength(SIGNATURE_LENGTH)
  @Matches(BYTES, { message: 'signature must be 0x and hex digits' })
  signature: string;
}

/** The body of an order that the trader's own wallet has signed, as the OpenAPI document has it. */
export class SignedOrder {
  @ApiProperty({ type: SignedOrderDto, description: 'In place of the plain parameters.' })
  signed_order: SignedOrderDto;

  @ApiPropertyOptional({
    enum: TIMES_IN_FORCE,
    description:
      '`gtc` where left out. `ioc` is the exchange\'s FAK. `gtd` needs a signed expiration; all others need "0".',
    example: 'gtc',
  })
  time_in_force?: TimeInForce;

  @ApiPropertyOptional({ description: 'Only with `gtc` and `gtd`.', example: false })
  post_only?: boolean;
}

/** The fields that a plain body must have. */
const NEEDED = ['market_id', 'outcome', 'side', 'price', 'size'] as const;

@ValidatorConstraint({ name: 'isOfPlainBody' })
class PlainBodyConstraint implements ValidatorConstraintInterface {
  validate(value: unknown, { object }: ValidationArguments): boolean {
    return value === undefined || !(object instanceof PolymarketOrderDto && isSigned(object));
  }

  defaultMessage(): string {
    return 'must be left out beside signed_order';
  }
}

@ValidatorConstraint({ name: 'isOutcomeName' })
class OutcomeNameConstraint implements ValidatorConstraintInterface {
  validate(value: unknown): boolean {
    if (typeof value === 'string') return value.length > 0 && value.length <= LONGEST_LABEL;
    return value === 0 || value === 1;
  }

  defaultMessage(): string {
    return 'must be 0, 1, yes, no, an outcome id or a label of this market';
  }
}

/** Of a plain body: refused beside a signed order. Stands last, since the first rule that fails gives the message. */
function OfPlainBody(): PropertyDecorator {
  return applyDecorators(
    ValidateIf((body: PolymarketOrderDto, value) => !isSigned(body) || value !== undefined),
    Validate(PlainBodyConstraint),
  );
}

/**
 * Body of `POST /polymarket/orders` (unified-schema.md 7): plain parameters, which the user's session key signs, or an order
 * that the trader's own wallet has signed. `PlainOrder` and `SignedOrder` document them.
 */
export class PolymarketOrderDto {
  @ValidateIf(
    (body: PolymarketOrderDto, value) => value !== undefined || NEEDED.every((field) => body[field] === undefined),
  )
  @IsObject({ message: 'must be a signed order, or left out where market_id, outcome, side, price and size are given' })
  @ValidateNested()
  @Type(() => SignedOrderDto)
  signed_order?: SignedOrderDto;

  @Matches(POLYMARKET_IDS.market, { message: 'must be the id of a market' })
  @OfPlainBody()
  market_id?: string;

  @Validate(OutcomeNameConstraint)
  @OfPlainBody()
  outcome?: string | number;

  @IsIn(SIDES, { message: `must be one of ${SIDES.join(', ')}` })
  @OfPlainBody()
  side?: Side;

  @Validate(PriceConstraint)
  @OfPlainBody()
  price?: string;

  @Validate(SizeConstraint)
  @OfPlainBody()
  size?: string;

  @IsIn(TIMES_IN_FORCE)
  time_in_force: TimeInForce = 'gtc';

  @ValidateIf((body: PolymarketOrderDto) => body.post_only !== undefined)
  @IsBoolean()
  post_only?: boolean;

  @Validate(ExpiryConstraint)
  @OfPlainBody()
  expires_at?: string;
}

/** An order that comes signed. */
export type SignedRequest = PolymarketOrderDto & { readonly signed_order: SignedOrderDto };

/** An order of plain parameters. */
export type PlainRequest = PolymarketOrderDto & Required<Pick<PolymarketOrderDto, (typeof NEEDED)[number]>>;

export function isSigned(request: PolymarketOrderDto): request is SignedRequest {
  return request.signed_order !== undefined;
}

/** Whether a validated order is one of plain parameters. */
export function isPlain(request: PolymarketOrderDto): request is PlainRequest {
  return !isSigned(request);
}

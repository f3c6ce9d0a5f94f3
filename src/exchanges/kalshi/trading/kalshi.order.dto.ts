import { ApiProperty } from '@nestjs/swagger';
import {
  IsBoolean,
  IsIn,
  Matches,
  Validate,
  ValidateIf,
  type ValidationArguments,
  ValidatorConstraint,
  type ValidatorConstraintInterface,
} from 'class-validator';
import { compare, isDecimal, parseDecimal, placesOf } from '../../decimal.js';
import { parseIsoTime } from '../../time.js';
import { type Side, SIDES, TIMES_IN_FORCE, type TimeInForce } from '../../unified.trading.dto.js';
import { KALSHI_IDS } from '../kalshi.ids.js';
import { findOutcome } from '../kalshi.outcome.js';

/** The finest that the exchange's format can write (kalshi.md 3); tick and minimum are the market's and left to it. */
const PRICE_PLACES = 4;
const SIZE_PLACES = 2;
const LARGEST_SIZE = '1000000000';

/** A decimal above 0 and below (or at) a bound that has no more than so many places. */
function isWithin(value: unknown, places: number, below: (canonical: string) => boolean): boolean {
  const canonical = isDecimal(value) ? parseDecimal(value) : null;
  return canonical !== null && placesOf(canonical) <= places && compare(canonical, '0') > 0 && below(canonical);
}

@ValidatorConstraint({ name: 'isPrice' })
class PriceConstraint implements ValidatorConstraintInterface {
  validate(value: unknown): boolean {
    return isWithin(value, PRICE_PLACES, (price) => compare(price, '1') < 0);
  }

  defaultMessage(): string {
    return `must be a decimal string above 0 and below 1 with at most ${PRICE_PLACES} places`;
  }
}

@ValidatorConstraint({ name: 'isSize' })
class SizeConstraint implements ValidatorConstraintInterface {
  validate(value: unknown): boolean {
    return isWithin(value, SIZE_PLACES, (size) => compare(size, LARGEST_SIZE) <= 0);
  }

  defaultMessage(): string {
    return `must be a decimal string above 0 with at most ${SIZE_PLACES} places`;
  }
}

@ValidatorConstraint({ name: 'isOutcome' })
class OutcomeConstraint implements ValidatorConstraintInterface {
  validate(value: unknown, { object }: ValidationArguments): boolean {
    const marketId = object instanceof KalshiOrderRequestDto ? (object.market_id as unknown) : undefined;
    const isName = typeof value === 'string' || typeof value === 'number';
    return isName && findOutcome(typeof marketId === 'string' ? marketId : '', value) !== null;
  }

  defaultMessage(): string {
    return 'must be 0, 1, "yes", "no" or the id of an outcome of this market';
  }
}

@ValidatorConstraint({ name: 'isExpiry' })
class ExpiryConstraint implements ValidatorConstraintInterface {
  validate(value: unknown, { object }: ValidationArguments): boolean {
    const expires = object instanceof KalshiOrderRequestDto && object.time_in_force === 'gtd';
    return expires ? parseIsoTime(value) !== null : value === undefined;
  }

  defaultMessage(): string {
    return 'must be an ISO 8601 time with gtd, and must be left out otherwise';
  }
}

/** Body of `POST /kalshi/orders` (unified.md 7). The proxy signs and sends it with the stored credentials. */
export class KalshiOrderRequestDto {
  @ApiProperty({ description: 'The ticker of the market.', example: 'KXHIGHNY-26NOV20-B55.5' })
  @Matches(KALSHI_IDS.market, { message: 'must be the ticker of a market' })
  market_id: string;

  @ApiProperty({
    oneOf: [{ type: 'string' }, { type: 'integer', enum: [0, 1] }],
    description: '`0` or `yes`, `1` or `no`, or the id of the outcome.',
    example: 'yes',
  })
  @Validate(OutcomeConstraint)
  outcome: string | number;

  @ApiProperty({ enum: SIDES, example: 'buy' })
  @IsIn(SIDES, { message: `must be one of ${SIDES.join(', ')}` })
  side: Side;

  @ApiProperty({
    description:
      'Of the outcome named, per contract that pays 1: above 0, below 1, at most 4 places. On the tick grid.',
    pattern: '^0\\.\\d{1,4}$',
    example: '0.42',
  })
  @Validate(PriceConstraint)
  price: string;

  @ApiProperty({ description: 'Contracts, above 0, at most 2 places.', pattern: '^\\d+(\\.\\d{1,2})?$', example: '10' })
  @Validate(SizeConstraint)
  size: string;

  @ApiProperty({
    enum: TIMES_IN_FORCE,
    default: 'gtc',
    required: false,
    description: '`gtd` needs `expires_at`. `ioc` with a limit price stands in for a market order.',
  })
  @IsIn(TIMES_IN_FORCE, { message: `must be one of ${TIMES_IN_FORCE.join(', ')}` })
  time_in_force: TimeInForce = 'gtc';

  @ApiProperty({ type: Boolean, required: false, description: 'Refuse the order if it would trade at once.' })
  @ValidateIf((body: KalshiOrderRequestDto) => body.post_only !== undefined)
  @IsBoolean({ message: 'must be true or false' })
  post_only?: boolean;

  @ApiProperty({ type: Boolean, required: false, description: 'Never more than closes the position.' })
  @ValidateIf((body: KalshiOrderRequestDto) => body.reduce_only !== undefined)
  @IsBoolean({ message: 'must be true or false' })
  reduce_only?: boolean;

  @ApiProperty({
    type: String,
    format: 'date-time',
    required: false,
    description: 'With `gtd` alone; fractions of a second are cut.',
    example: '2026-11-21T15:00:00.000Z',
  })
  @Validate(ExpiryConstraint)
  expires_at?: string;

  @ApiProperty({
    type: String,
    required: false,
    pattern: '^[A-Za-z0-9_-]{1,64}$',
    description: 'Unique per account for ever. Left out, it is derived from the Idempotency-Key or random.',
    example: '2b8394e0-515e-4b89-b624-f34067756855',
  })
  @ValidateIf((body: KalshiOrderRequestDto) => body.client_order_id !== undefined)
  @Matches(/^[A-Za-z0-9_-]{1,64}$/, { message: 'must be 1 to 64 letters, digits, - or _' })
  client_order_id?: string;
}

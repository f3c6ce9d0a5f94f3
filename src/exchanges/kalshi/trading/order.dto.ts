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
import { ExpiryConstraint, PriceConstraint, SizeConstraint } from '../../order-fields.js';
import { type Side, SIDES, TIMES_IN_FORCE, type TimeInForce } from '../../unified.trading.dto.js';
import { KALSHI_IDS } from '../kalshi.ids.js';
import { findOutcome } from '../market-data/outcomes.js';

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

/** Body of `POST /kalshi/orders` (unified-schema.md 7). The proxy signs and sends it with the stored credentials. */
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
    description: 'Of the outcome named, per contract that pays 1: above 0, below 1, on the tick grid of the market.',
    pattern: '^0\\.\\d+$',
    example: '0.42',
  })
  @Validate(PriceConstraint)
  price: string;

  @ApiProperty({ description: 'Contracts, above 0, in steps of 0.01.', pattern: '^\\d+(\\.\\d+)?$', example: '10' })
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

  @ApiProperty({
    type: Boolean,
    required: false,
    description: 'Never more than closes the position; with `ioc` alone.',
  })
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
    description:
      'Names the order at Kalshi, which takes it once; never use one again. Left out, it is derived from the ' +
      'Idempotency-Key or random.',
    example: '2b8394e0-515e-4b89-b624-f34067756855',
  })
  @ValidateIf((body: KalshiOrderRequestDto) => body.client_order_id !== undefined)
  @Matches(/^[A-Za-z0-9_-]{1,64}$/, { message: 'must be 1 to 64 letters, digits, - or _' })
  client_order_id?: string;
}

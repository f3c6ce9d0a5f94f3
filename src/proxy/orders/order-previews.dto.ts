import { ApiProperty } from '@nestjs/swagger';
import { LevelDto } from '../../exchanges/unified.market-data.dto.js';
import {
  DECIMAL,
  MAYBE_DECIMAL,
  MAYBE_INDEX,
  MAYBE_TEXT,
  MAYBE_TIME,
  maybeOneOf,
} from '../../exchanges/unified.properties.js';
import { type Side, SIDES, TIMES_IN_FORCE, type TimeInForce } from '../../exchanges/unified.trading.dto.js';

/** The order as it would be sent. */
export class PreviewedOrderDto {
  @ApiProperty({ example: 'KXHIGHNY-26NOV20-B55.5' })
  market_id: string;

  @ApiProperty({ ...MAYBE_INDEX, example: 0 })
  outcome_index: 0 | 1 | null;

  @ApiProperty({ enum: SIDES, example: 'buy' })
  side: Side;

  @ApiProperty({ ...DECIMAL, example: '0.42', description: 'Of that outcome.' })
  price: string;

  @ApiProperty({ ...DECIMAL, example: '10' })
  size: string;

  @ApiProperty({ ...maybeOneOf(TIMES_IN_FORCE), example: 'gtc' })
  time_in_force: TimeInForce | null;

  @ApiProperty({ type: Boolean, nullable: true, example: false })
  post_only: boolean | null;

  @ApiProperty({
    ...MAYBE_TIME,
    example: null,
    description: 'When what rests ends by itself, a limit of the bot included.',
  })
  expires_at: string | null;

  @ApiProperty({ ...MAYBE_DECIMAL, example: null, description: 'The money that would be signed; null where none is.' })
  money: string | null;

  @ApiProperty({
    ...MAYBE_DECIMAL,
    example: null,
    description: 'The shares that would be signed; null where none are.',
  })
  shares: string | null;

  @ApiProperty({ example: 'USD' })
  currency: string;
}

/** The best quotes of the order's outcome. */
export class PreviewedBookDto {
  @ApiProperty({ type: LevelDto, nullable: true, example: { price: '0.42', size: '13' } })
  bid: LevelDto | null;

  @ApiProperty({ type: LevelDto, nullable: true, example: { price: '0.44', size: '17' } })
  ask: LevelDto | null;
}

/** What would trade at once. */
export class PreviewedFillsDto {
  @ApiProperty({ ...DECIMAL, example: '0' })
  size: string;

  @ApiProperty({
    ...MAYBE_DECIMAL,
    example: null,
    description: 'Cut after ten places; null where nothing would trade.',
  })
  average_price: string | null;
}

const AMOUNT = { oneOf: [{ type: 'string', format: 'decimal' }, { type: 'integer' }] };

/** A limit of the bot that asks (contract.md 5.12). */
export class PreviewedLimitDto {
  @ApiProperty({ example: 'max_open_risk' })
  limit: string;

  @ApiProperty({ ...AMOUNT, example: '100' })
  allowed: string | number;

  @ApiProperty({ ...AMOUNT, example: '37.5', description: 'Without this order.' })
  used: string | number;

  @ApiProperty({
    ...AMOUNT,
    nullable: true,
    example: '4.2',
    description: 'What the order would take; null where that is not known.',
  })
  asked: string | number | null;
}

/** How the create would be refused. */
export class PreviewedRefusalDto {
  @ApiProperty({ example: 'exchange_rejected', description: 'A code of errors.md.' })
  code: string;

  @ApiProperty({
    ...MAYBE_TEXT,
    example: 'would_cross',
    description: '`details.reason` of that error; null where it has none.',
  })
  reason: string | null;

  @ApiProperty({ description: 'For people.', example: 'A post-only order would trade at once.' })
  message: string;
}

/** What an order would come to (contract.md 5). */
export class OrderPreviewDto {
  @ApiProperty({
    type: PreviewedOrderDto,
    nullable: true,
    description: 'Null where there is no such order, as `would_be_refused` says.',
  })
  order: PreviewedOrderDto | null;

  @ApiProperty({
    ...MAYBE_DECIMAL,
    example: '4.2',
    description: 'The most that it can lose; what a bot takes back is none. Without fees.',
  })
  risk: string | null;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '4.2', description: 'The most that it can cost, without fees.' })
  cost: string | null;

  @ApiProperty({
    ...MAYBE_DECIMAL,
    example: '0.1706',
    description:
      'The fee by the formula that the exchange publishes, of what would trade at once and of what rests, once that has traded whole. Null where it ' +
      'cannot be known.',
  })
  fee_estimate: string | null;

  @ApiProperty({
    ...MAYBE_TEXT,
    example: 'Fee of the series KXHIGHNY: quadratic, multiplier 1',
    description: 'The rule of the fee, and where the exchange says it; null where it could not be read.',
  })
  fee_source: string | null;

  @ApiProperty({ type: PreviewedBookDto, nullable: true, description: 'Null where it could not be read.' })
  book: PreviewedBookDto | null;

  @ApiProperty({
    type: PreviewedFillsDto,
    nullable: true,
    description: 'By that book; null where it could not be read.',
  })
  fills_now: PreviewedFillsDto | null;

  @ApiProperty({
    type: [PreviewedLimitDto],
    description: 'The limits of the bot that asks, those that it has; empty for all others.',
  })
  limits: PreviewedLimitDto[];

  @ApiProperty({
    type: PreviewedRefusalDto,
    nullable: true,
    example: null,
    description: 'The first refusal that a create would meet now, by what is known; null where none is.',
  })
  would_be_refused: PreviewedRefusalDto | null;
}

import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ABOVE_ZERO, DECIMAL } from './unified.properties.js';
import { type Side, SIDES, TIMES_IN_FORCE, type TimeInForce } from './unified.trading.dto.js';

/** The body of an order of plain parameters, as the OpenAPI document has it for all exchanges (unified-schema.md 7). */
export class PlainOrder {
  @ApiProperty({
    minLength: 1,
    description: 'The id of the market, in any form that paths take.',
    example: 'KXHIGHNY-26NOV20-B55.5',
  })
  market_id: string;

  @ApiProperty({
    oneOf: [
      { type: 'string', minLength: 1, maxLength: 200 },
      { type: 'integer', enum: [0, 1] },
    ],
    description: '`0` or `yes`, `1` or `no`, the id of the outcome, or its label at Polymarket.',
    example: 'yes',
  })
  outcome: string | number;

  @ApiProperty({ enum: SIDES, example: 'buy' })
  side: Side;

  @ApiProperty({
    ...DECIMAL,
    description:
      'Of the outcome named, per contract or share that pays 1: above 0, below 1, a multiple of the tick of the market.',
    pattern: String.raw`^0\.0*[1-9]\d*$`,
    example: '0.42',
  })
  price: string;

  @ApiProperty({
    ...ABOVE_ZERO,
    description: 'Contracts or shares, in steps of 0.01, at least the smallest size of the market.',
    example: '10',
  })
  size: string;

  @ApiPropertyOptional({
    enum: TIMES_IN_FORCE,
    description:
      '`gtc` where left out. `gtd` needs `expires_at`. `ioc` with a limit price stands in for a market order; at Polymarket it is the ' +
      "exchange's FAK, and a `fok` or `ioc` order to buy spends what its size costs by the book read just before, cut to cents.",
    example: 'gtc',
  })
  time_in_force?: TimeInForce;

  @ApiPropertyOptional({
    description: 'Refuse the order if it would trade at once. At Polymarket only with `gtc` and `gtd`.',
    example: false,
  })
  post_only?: boolean;

  @ApiPropertyOptional({
    format: 'date-time',
    description: 'With `gtd` alone; at Polymarket at least three minutes ahead. Fractions of a second are cut.',
    example: '2026-11-21T15:00:00.000Z',
  })
  expires_at?: string;

  @ApiPropertyOptional({
    description: 'At Kalshi alone: never more than closes the position; with `ioc` alone.',
    example: false,
  })
  reduce_only?: boolean;

  @ApiPropertyOptional({
    pattern: '^[A-Za-z0-9_-]{1,64}$',
    description:
      'At Kalshi alone: names the order there, which takes it once; never use one again. Left out, it is derived from the ' +
      'Idempotency-Key or random.',
    example: '2b8394e0-515e-4b89-b624-f34067756855',
  })
  client_order_id?: string;
}

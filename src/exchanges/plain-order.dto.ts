import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ABOVE_ZERO, DECIMAL } from './unified.properties.js';
import { type Side, SIDES, TIMES_IN_FORCE, type TimeInForce } from './unified.trading.dto.js';

/** Of a field whose description exchanges add to: `exchange-docs.ts` writes it. */
const WRITTEN_LATER = { description: '' };

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
    ...WRITTEN_LATER,
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
    ...WRITTEN_LATER,
    example: 'gtc',
  })
  time_in_force?: TimeInForce;

  @ApiPropertyOptional({
    ...WRITTEN_LATER,
    example: false,
  })
  post_only?: boolean;

  @ApiPropertyOptional({
    format: 'date-time',
    ...WRITTEN_LATER,
    example: '2026-11-21T15:00:00.000Z',
  })
  expires_at?: string;

  @ApiPropertyOptional({
    ...WRITTEN_LATER,
    example: false,
  })
  reduce_only?: boolean;

  @ApiPropertyOptional({
    pattern: '^[A-Za-z0-9_-]{1,64}$',
    ...WRITTEN_LATER,
    example: '2b8394e0-515e-4b89-b624-f34067756855',
  })
  client_order_id?: string;
}

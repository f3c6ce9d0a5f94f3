import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsOptional, IsString, Length, Matches } from 'class-validator';
import { EXCHANGE_IDS } from '../../exchanges/exchange.registry.js';
import { ID_LIST } from '../market-data/market-data.dto.js';
import { OptionalId } from '../request/query-fields.js';

const ID_LIST_MESSAGE = 'market_id must be 1 to 50 market ids, comma-separated';
const MOST_SUBSCRIPTIONS = 20;
/** Names of an exchange and a channel, and 50 ids. */
const LONGEST_SUBSCRIPTION = 10_300;

/** Query of the streams of public data. */
export class MarketsStreamQueryDto {
  @ApiProperty({ description: '1 to 50 market ids, comma-separated.', example: 'KXHIGHNY-26NOV20-B55.5' })
  @IsString()
  @Matches(ID_LIST, { message: ID_LIST_MESSAGE })
  market_id: string;
}

/** Query of `GET /{exchange}/orderbooks/stream`. */
export class OrderbooksStreamQueryDto extends MarketsStreamQueryDto {
  @ApiPropertyOptional({ enum: ['0', '1', 'yes', 'no'], default: '0', description: 'Whose book of each market.' })
  @IsOptional()
  @IsIn(['0', '1', 'yes', 'no'])
  outcome?: string;
}

/** Query of `GET /{exchange}/orders/stream`. */
export class OrdersStreamQueryDto {
  @ApiPropertyOptional({ description: 'Of these markets alone: up to 50 ids, comma-separated.' })
  @IsOptional()
  @IsString()
  @Matches(ID_LIST, { message: ID_LIST_MESSAGE })
  market_id?: string;
}

/** Query of `GET /{exchange}/fills/stream`. */
export class FillsStreamQueryDto extends OrdersStreamQueryDto {
  @OptionalId('Of this order alone.')
  order_id?: string;
}

/** Query of `GET /stream`. */
export class StreamQueryDto {
  @ApiProperty({
    type: [String],
    description:
      '1 to 20 of `{exchange}.{channel}:{market_id},{market_id}`, of 50 ids at most each, which may be left out for `orders` and `fills`. ' +
      'Books are of outcome 0.',
    example: [`${EXCHANGE_IDS[0] ?? ''}.orderbooks:KXHIGHNY-26NOV20-B55.5`, `${EXCHANGE_IDS.at(-1) ?? ''}.fills`],
  })
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? [value] : value))
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MOST_SUBSCRIPTIONS)
  @IsString({ each: true })
  @Length(1, LONGEST_SUBSCRIPTION, { each: true })
  subscribe: string[];
}

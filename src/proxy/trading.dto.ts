import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { FillDto, OrderDto, PositionDto } from '../exchanges/unified.trading.dto.js';
import type { NotCancelledReason } from '../exchanges/unified.words.js';
import { PagingQueryDto } from './paging.dto.js';
import { OptionalId, OptionalTime } from './query-fields.js';

/** Query of `GET /{exchange}/orders`. */
export class OrdersQueryDto extends PagingQueryDto {
  @ApiPropertyOptional({ enum: ['open', 'closed'], default: 'open' })
  @IsOptional()
  @IsIn(['open', 'closed'])
  status?: 'open' | 'closed';

  @OptionalId('Orders in one market.')
  market_id?: string;
}

/** Query of `GET /{exchange}/fills`. */
export class FillsQueryDto extends PagingQueryDto {
  @OptionalId('Fills in one market.')
  market_id?: string;

  @OptionalId('Fills of one order.')
  order_id?: string;

  @OptionalTime('Fills at or after this time.')
  start?: string;

  @OptionalTime('Fills before this time.')
  end?: string;
}

/** Query of `GET /{exchange}/positions`. */
export class PositionsQueryDto extends PagingQueryDto {
  @OptionalId('The position in one market.')
  market_id?: string;
}

class PrivateListDto {
  @ApiProperty({ type: String, nullable: true, description: 'Send it as `cursor` for the next page.' })
  next_cursor: string | null;
}

export class OrderListDto extends PrivateListDto {
  @ApiProperty({ type: [OrderDto] })
  data: OrderDto[];
}

export class FillListDto extends PrivateListDto {
  @ApiProperty({ type: [FillDto] })
  data: FillDto[];
}

export class PositionListDto extends PrivateListDto {
  @ApiProperty({ type: [PositionDto] })
  data: PositionDto[];
}

class NotCancelledDto {
  @ApiProperty()
  id: string;

  @ApiProperty({
    type: String,
    example: 'not_cancellable',
    description:
      '`not_found`: the exchange has no such open order. `not_cancellable`: it refused the cancel. ' +
      '`exchange_rate_limited`: it asked for fewer calls and did nothing. `unknown`: it did not say, so the order may be ' +
      'open or cancelled. Repeat the call after the last two.',
  })
  reason: NotCancelledReason;
}

/** What cancelling all open orders answers. */
export class CancelledOrdersDto {
  @ApiProperty({ type: [String], description: 'Ids of the orders that are cancelled.' })
  cancelled: string[];

  @ApiProperty({ type: [NotCancelledDto] })
  not_cancelled: NotCancelledDto[];
}

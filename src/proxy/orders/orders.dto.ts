import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { OrderDto } from '../../exchanges/unified.trading.dto.js';
import type { NotCancelledReason } from '../../exchanges/unified.words.js';
import { CursorListDto, PagingQueryDto } from '../paging/paging.dto.js';
import { OptionalId } from '../request/query-fields.js';

/** Query of `GET /{exchange}/orders`. */
export class OrdersQueryDto extends PagingQueryDto {
  @ApiPropertyOptional({ enum: ['open', 'closed'], default: 'open' })
  @IsOptional()
  @IsIn(['open', 'closed'])
  status?: 'open' | 'closed';

  @OptionalId('Orders in one market.')
  market_id?: string;
}

/** Query of `DELETE /{exchange}/orders`. */
export class CancelQueryDto {
  @OptionalId('Only the orders on this market.')
  market_id?: string;
}

export class OrderListDto extends CursorListDto {
  @ApiProperty({ type: [OrderDto] })
  data: OrderDto[];
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

import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { OrderDto } from '../../exchanges/unified.trading.dto.js';
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

export class OrderListDto extends CursorListDto {
  @ApiProperty({ type: [OrderDto] })
  data: OrderDto[];
}

class NotCancelledDto {
  @ApiProperty()
  id: string;

  @ApiProperty({ example: 'not_cancellable' })
  reason: string;
}

/** What cancelling all open orders answers. */
export class CancelledOrdersDto {
  @ApiProperty({ type: [String], description: 'Ids of the orders that are cancelled.' })
  cancelled: string[];

  @ApiProperty({ type: [NotCancelledDto] })
  not_cancelled: NotCancelledDto[];
}

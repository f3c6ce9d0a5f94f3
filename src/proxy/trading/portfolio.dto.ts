import { ApiProperty } from '@nestjs/swagger';
import { FillDto, PositionDto } from '../../exchanges/unified.trading.dto.js';
import { CursorListDto, PagingQueryDto } from '../paging/paging.dto.js';
import { OptionalId, OptionalTime } from '../request/query-fields.js';

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

export class FillListDto extends CursorListDto {
  @ApiProperty({ type: [FillDto] })
  data: FillDto[];
}

export class PositionListDto extends CursorListDto {
  @ApiProperty({ type: [PositionDto] })
  data: PositionDto[];
}

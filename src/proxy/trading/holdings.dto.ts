import { ApiProperty } from '@nestjs/swagger';
import { BOT_ID } from '../../exchanges/unified.properties.js';
import { FillDto, PositionDto, SettlementDto } from '../../exchanges/unified.trading.dto.js';
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

/** A fill, with the bot whose order it was of (unified-schema.md 8). */
export class ReadFillDto extends FillDto {
  @ApiProperty({
    ...BOT_ID,
    description: 'The bot that sent the order; null where none did, and where that is not known.',
  })
  bot_id: string | null;
}

export class FillListDto extends CursorListDto {
  @ApiProperty({ type: [ReadFillDto] })
  data: ReadFillDto[];
}

export class PositionListDto extends CursorListDto {
  @ApiProperty({ type: [PositionDto] })
  data: PositionDto[];
}

/** Query of `GET /{exchange}/settlements`. */
export class SettlementsQueryDto extends PagingQueryDto {
  @OptionalTime('Paid out at or after this time.')
  start?: string;

  @OptionalTime('Paid out before this time.')
  end?: string;
}

export class SettlementListDto extends CursorListDto {
  @ApiProperty({ type: [SettlementDto] })
  data: SettlementDto[];
}

/** Query of `GET /{exchange}/fills.csv` and `GET /{exchange}/settlements.csv`. */
export class CsvQueryDto {
  @OptionalId('In one market.')
  market_id?: string;

  @OptionalTime('At or after this time.')
  start?: string;

  @OptionalTime('Before this time.')
  end?: string;
}

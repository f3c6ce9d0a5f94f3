import {
  ApiExtraModels,
  ApiProperty,
  ApiPropertyOptional,
  getSchemaPath,
  IntersectionType,
  OmitType,
} from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Length, Matches } from 'class-validator';
import {
  CandlestickDto,
  EventDto,
  MarketDto,
  OrderBookDto,
  TradeDto,
} from '../../exchanges/unified.market-data.dto.js';
import { ErrorMemberDto } from '../../platform/errors/error.dto.js';
import {
  type Interval,
  INTERVALS,
  MARKET_SORTS,
  MARKET_STATUSES,
  type MarketStatus,
} from '../../exchanges/unified.words.js';
import { CursorListDto, PagingQueryDto } from '../paging/paging.dto.js';
import { OptionalId, OptionalOutcome, OptionalTime, RequiredMarketId } from '../request/query-fields.js';

const SORT_WORDS = MARKET_SORTS.flatMap((sort) => [sort, `-${sort}`]);
/** 1 to 50 ids, comma-separated. */
export const ID_LIST = /^[^,]{1,200}(,[^,]{1,200}){0,49}$/;

/** What lists of events and of markets can both be filtered by; what the exchange lacks is `not_supported`. */
export class EventsQueryDto extends PagingQueryDto {
  @ApiPropertyOptional({
    enum: MARKET_STATUSES,
    default: 'open',
    description: 'In this status; `open` where left out.',
  })
  @IsOptional()
  @IsIn(MARKET_STATUSES)
  status?: MarketStatus;

  @ApiPropertyOptional({ description: 'Words in the title.' })
  @IsOptional()
  @IsString()
  @Length(1, 200)
  search?: string;

  @ApiPropertyOptional({ description: 'In one category.', example: 'Economics' })
  @IsOptional()
  @IsString()
  @Length(1, 100)
  category?: string;

  @OptionalId('Of one series.')
  series_id?: string;
}

/** Query of `GET /{exchange}/markets`; with `ids`, `status` has no default. */
export class MarketsQueryDto extends EventsQueryDto {
  @OptionalId('Markets of one event.')
  event_id?: string;

  @ApiPropertyOptional({ description: 'At most 50 market ids, comma-separated.' })
  @IsOptional()
  @IsString()
  @Matches(ID_LIST, { message: 'ids must be 1 to 50 market ids, comma-separated' })
  ids?: string;

  @ApiPropertyOptional({ enum: SORT_WORDS, description: 'With `-` in front: descending.' })
  @IsOptional()
  @IsIn(SORT_WORDS)
  sort?: string;
}

/** Query of `GET /{exchange}/orderbooks`. */
export class OrderBookQueryDto {
  @RequiredMarketId()
  market_id: string;

  @OptionalOutcome()
  outcome?: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 100, description: 'Levels a side; all where left out.' })
  @IsOptional()
  @IsString()
  @Matches(/^([1-9]\d?|100)$/, { message: 'depth must be a whole number from 1 to 100' })
  depth?: string;
}

/** Query of `GET /{exchange}/orderbooks/batch`. */
export class OrderBooksQueryDto extends OmitType(OrderBookQueryDto, ['market_id']) {
  @ApiProperty({
    description: '1 to 50 market ids, each once, comma-separated.',
    example: 'KXHIGHNY-26NOV20-B55.5,KXHIGHNY-26NOV20-T58',
  })
  @IsString()
  @Matches(ID_LIST, { message: 'market_id must be 1 to 50 market ids, comma-separated' })
  market_id: string;
}

/** Query of `GET /{exchange}/trades`. */
export class TradesQueryDto extends PagingQueryDto {
  @RequiredMarketId()
  market_id: string;

  @OptionalTime('Trades at or after this time.')
  start?: string;

  @OptionalTime('Trades before this time.')
  end?: string;
}

/** Query of `GET /{exchange}/candlesticks`: candles that start in `start` (included) to `end` (excluded). */
export class CandlesticksQueryDto {
  @RequiredMarketId()
  market_id: string;

  @OptionalOutcome()
  outcome?: string;

  @ApiPropertyOptional({ enum: INTERVALS, default: '1h', description: 'How long a candle is.' })
  @IsOptional()
  @IsIn(INTERVALS)
  interval?: Interval;

  @OptionalTime('100 intervals before `end` where left out.')
  start?: string;

  @OptionalTime('Now where left out.')
  end?: string;
}

/** How old an answer is (contract.md 5). */
export class AgeDto {
  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T15:00:00.164Z' })
  timestamp: string;

  @ApiProperty({ enum: ['exchange', 'received'], description: 'Whose clock says so.' })
  timestamp_source: 'exchange' | 'received';
}

class ListDto extends IntersectionType(AgeDto, CursorListDto) {}

export class MarketAnswerDto extends IntersectionType(MarketDto, AgeDto) {}

export class EventAnswerDto extends IntersectionType(EventDto, AgeDto) {}

export class OrderBookAnswerDto extends IntersectionType(OrderBookDto, AgeDto) {}

/** A market of a batch without a book, and why. */
export class MissingBookDto {
  @ApiProperty({ description: 'As it was asked for.', example: 'KXHIGHNY-26NOV20-B99.5' })
  market_id: string;

  @ApiProperty({
    type: ErrorMemberDto,
    description: 'As a call for this book alone answers.',
    example: {
      code: 'not_found',
      message: 'There is no such market.',
      request_id: 'req_01KAMXB3T6Y7W2S4Q8Z0C1V5N9',
      retryable: false,
    },
  })
  error: ErrorMemberDto;
}

@ApiExtraModels(OrderBookAnswerDto, MissingBookDto)
export class OrderBooksDto {
  @ApiProperty({
    type: 'array',
    items: { oneOf: [{ $ref: getSchemaPath(OrderBookAnswerDto) }, { $ref: getSchemaPath(MissingBookDto) }] },
    description: 'As many as were asked for, in their order.',
  })
  data: (OrderBookAnswerDto | MissingBookDto)[];
}

export class MarketListDto extends ListDto {
  @ApiProperty({ type: [MarketDto] })
  data: MarketDto[];
}

export class EventListDto extends ListDto {
  @ApiProperty({ type: [EventDto] })
  data: EventDto[];
}

export class TradeListDto extends ListDto {
  @ApiProperty({ type: [TradeDto] })
  data: TradeDto[];
}

export class CandlestickListDto extends ListDto {
  @ApiProperty({ type: [CandlestickDto] })
  data: CandlestickDto[];
}

import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Length, Matches } from 'class-validator';
import { SEARCH_SORTS, type SearchSort } from '../../catalogue/catalogue-search.service.js';
import { EXCHANGE_IDS } from '../../exchanges/exchange.registry.js';
import { EventDto, MarketDto } from '../../exchanges/unified.market-data.dto.js';
import { MARKET_STATUSES, type MarketStatus } from '../../exchanges/unified.words.js';
import { CursorListDto, PagingQueryDto } from '../paging/paging.dto.js';
import { OptionalTime } from '../request/query-fields.js';

/** Query of `GET /markets` and `GET /events`. */
export class SearchQueryDto extends PagingQueryDto {
  @ApiPropertyOptional({
    description:
      'Words of titles, ids, categories and tags, in any order; of more than 8 the first 8 count. From 3 letters the beginning of a word is enough.',
    example: 'fed december',
  })
  @IsOptional()
  @IsString()
  @Length(1, 200)
  search?: string;

  @ApiPropertyOptional({ enum: EXCHANGE_IDS, description: 'Of one exchange; of all where left out.' })
  @IsOptional()
  @IsIn(EXCHANGE_IDS)
  exchange?: string;

  @ApiPropertyOptional({ description: 'In one category, or with one tag.', example: 'Economics' })
  @IsOptional()
  @IsString()
  @Length(1, 100)
  category?: string;

  @ApiPropertyOptional({
    enum: MARKET_STATUSES,
    default: 'open',
    description: '`open`; the others are `not_supported`.',
  })
  @IsOptional()
  @IsIn(MARKET_STATUSES)
  status?: MarketStatus;

  @OptionalTime('Closing after this time.')
  closes_after?: string;

  @OptionalTime('Closing before this time.')
  closes_before?: string;

  @ApiPropertyOptional({
    type: String,
    format: 'decimal',
    description: 'Traded within a day at least, each in its own unit.',
    example: '1000',
  })
  @IsOptional()
  @IsString()
  @Matches(/^\d{1,15}(\.\d{1,6})?$/, { message: 'min_volume_24h must be a decimal number' })
  min_volume_24h?: string;

  @ApiPropertyOptional({
    enum: SEARCH_SORTS,
    description:
      'The best, the highest, the soonest or the newest first. `relevance` with words, else `volume_24h`, where left out. Volumes of two units are not compared: the highest of each come in turn.',
  })
  @IsOptional()
  @IsIn(SEARCH_SORTS)
  sort?: SearchSort;
}

/** As of when the part of each exchange is. */
class FoundListDto extends CursorListDto {
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string', format: 'date-time', nullable: true },
    description: 'By exchange: when the last complete walk of its markets began; null before the first.',
    example: Object.fromEntries(EXCHANGE_IDS.map((id) => [id, '2026-11-20T15:00:00.164Z'])),
  })
  as_of: Record<string, string | null>;
}

export class FoundMarketListDto extends FoundListDto {
  @ApiProperty({ type: [MarketDto] })
  data: MarketDto[];
}

export class FoundEventDto extends OmitType(EventDto, ['markets']) {
  @ApiProperty({ type: [MarketDto], nullable: true, description: 'Always null here.', example: null })
  markets: MarketDto[] | null;

  @ApiProperty({ type: [String], description: 'Ids of its open markets.', example: ['KXHIGHNY-26NOV20-B55.5'] })
  market_ids: string[];
}

export class FoundEventListDto extends FoundListDto {
  @ApiProperty({ type: [FoundEventDto] })
  data: FoundEventDto[];
}

import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, Length, Matches } from 'class-validator';

const DEFAULT_LIMIT = 50;

/** `limit` and `cursor` of every list. */
export class PagingQueryDto {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: 100,
    default: DEFAULT_LIMIT,
    description: 'Most per page.',
  })
  @IsOptional()
  @IsString()
  @Matches(/^([1-9]\d?|100)$/, { message: 'limit must be a whole number from 1 to 100' })
  limit?: string;

  @ApiPropertyOptional({ description: 'The `next_cursor` of the page before, with the same filters.' })
  @IsOptional()
  @IsString()
  @Length(1, 2_000)
  cursor?: string;
}

/** What a list answers beside `data`. */
export class CursorListDto {
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Send it as `cursor` for the next page, null at the end. A page with one may be short, even empty.',
  })
  next_cursor: string | null;
}

export function limitOf({ limit }: PagingQueryDto): number {
  return limit === undefined ? DEFAULT_LIMIT : Number(limit);
}

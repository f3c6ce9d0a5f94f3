import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean } from 'class-validator';
import { TIME } from '../../exchanges/unified.properties.js';
import { OptionalTime } from '../request/query-fields.js';
import { PortfolioTotalDto } from './portfolio.dto.js';

/** Query of `GET /account/equity`. */
export class EquityQueryDto {
  @OptionalTime('Points at or after this time; 90 days before `end` where left out.')
  start?: string;

  @OptionalTime('Points before this time; now where left out.')
  end?: string;
}

export class EquityPointDto {
  @ApiProperty(TIME)
  at: string;

  @ApiProperty({
    description:
      'Whether the way from the point before is not known: for more than 2 hours of it nothing was recorded, or the accounts became others.',
    example: false,
  })
  gap: boolean;

  @ApiProperty({
    type: [String],
    description:
      'Currencies whose total is known to be of other accounts than those whose credentials are stored now: it says nothing of what these gained.',
    example: [],
  })
  other_accounts: string[];

  @ApiProperty({ type: [PortfolioTotalDto], description: 'As `GET /portfolio` had them then.' })
  totals: readonly PortfolioTotalDto[];
}

export class HourlyEquityDto {
  @ApiProperty({ description: 'Whether a point is recorded each hour, with the stored credentials.', example: false })
  @IsBoolean()
  hourly: boolean;
}

export class EquityDto {
  @ApiProperty({ description: 'Whether a point is recorded each hour.', example: false })
  hourly: boolean;

  @ApiProperty({
    type: [EquityPointDto],
    description: 'Oldest first. Of more than 1,000 the last of each of 1,000 groups of like size.',
  })
  data: EquityPointDto[];
}

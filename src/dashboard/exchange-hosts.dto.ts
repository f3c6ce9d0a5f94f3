import { ApiProperty } from '@nestjs/swagger';
import { EXCHANGE_IDS } from '../exchanges/exchange.registry.js';

export class ExchangeHostDto {
  @ApiProperty({ enum: EXCHANGE_IDS, example: EXCHANGE_IDS[0] })
  exchange: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Where its orders go; null where that is an address of the machine of the service.',
    example: 'external-api.kalshi.com',
  })
  host: string | null;
}

export class ExchangeHostListDto {
  @ApiProperty({ type: [ExchangeHostDto] })
  exchanges: readonly ExchangeHostDto[];
}

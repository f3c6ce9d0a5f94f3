import { ApiProperty } from '@nestjs/swagger';
import { EXCHANGES } from '../exchanges/exchange.registry.js';

export class ExchangeHostDto {
  @ApiProperty({ enum: EXCHANGES.map(({ id }) => id), example: 'kalshi' })
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

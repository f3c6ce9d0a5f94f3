import { ApiProperty } from '@nestjs/swagger';
import { EXCHANGE, MAYBE_DECIMAL, TIME } from '../../exchanges/unified.properties.js';
import { BalanceDto } from '../../exchanges/unified.trading.dto.js';
import { ErrorMemberDto } from '../../platform/errors/error.dto.js';

/** What an account at one exchange is worth, and what was gained there; null is unknown (contract.md 5.17). */
export class ExchangePortfolioDto {
  @ApiProperty(EXCHANGE)
  exchange: string;

  @ApiProperty({ type: BalanceDto, nullable: true, description: 'As `GET /{exchange}/balance` has it.' })
  balance: BalanceDto | null;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '12.9', description: 'What is held, `redeemable_value` included.' })
  positions_value: string | null;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '0', description: 'What positions that have won will pay.' })
  redeemable_value: string | null;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '0.3' })
  unrealized_pnl: string | null;

  @ApiProperty({
    ...MAYBE_DECIMAL,
    example: '5.8',
    description: 'Over the whole history, settlements included; fees are not in it.',
  })
  realized_pnl: string | null;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '0.52', description: 'Over the whole history.' })
  fees: string | null;

  @ApiProperty({ type: 'integer', minimum: 0, nullable: true, example: 2, description: 'How many; of a bot its own.' })
  open_orders: number | null;

  @ApiProperty({
    type: ErrorMemberDto,
    nullable: true,
    description:
      'Why something is null, as the call for that alone answers; `credentials_not_configured` where nothing is stored.',
    example: null,
  })
  error: ErrorMemberDto | null;
}

/** The sums of all exchanges with this currency. */
export class PortfolioTotalDto {
  @ApiProperty({ example: 'USD' })
  currency: string;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '98.0186', description: 'Without what open orders hold back.' })
  cash: string | null;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '0' })
  reserved: string | null;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '12.9' })
  positions_value: string | null;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '110.9186', description: '`cash` + `reserved` + `positions_value`.' })
  equity: string | null;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '0.3' })
  unrealized_pnl: string | null;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '5.8' })
  realized_pnl: string | null;

  @ApiProperty({ description: 'Whether something of it is unknown.', example: false })
  partial: boolean;
}

export class PortfolioDto {
  @ApiProperty({ type: [ExchangePortfolioDto] })
  exchanges: ExchangePortfolioDto[];

  @ApiProperty({
    type: [PortfolioTotalDto],
    description: 'One a currency of the exchanges whose credentials are stored.',
  })
  totals: PortfolioTotalDto[];

  @ApiProperty({ ...TIME, description: 'From when on it was read.' })
  as_of: string;
}

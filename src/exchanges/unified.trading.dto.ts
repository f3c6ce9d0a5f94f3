import { ApiProperty } from '@nestjs/swagger';
import {
  DECIMAL,
  EXCHANGE,
  MAYBE_DECIMAL,
  MAYBE_INDEX,
  MAYBE_TEXT,
  MAYBE_TIME,
  maybeOneOf,
  TIME,
} from './unified.properties.js';

export const ORDER_STATUSES = [
  'open',
  'partially_filled',
  'filled',
  'cancelled',
  'expired',
  'rejected',
  'pending',
] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

export const SIDES = ['buy', 'sell'] as const;
export type Side = (typeof SIDES)[number];

export const TIMES_IN_FORCE = ['gtc', 'gtd', 'ioc', 'fok'] as const;
export type TimeInForce = (typeof TIMES_IN_FORCE)[number];

/** The outcome that an order, a fill or a position is of. */
export class TradedOutcomeDto {
  @ApiProperty({ description: 'Outcome id.', example: 'KXHIGHNY-26NOV20-B55.5:yes' })
  id: string;

  @ApiProperty({
    ...MAYBE_INDEX,
    example: 0,
    description: 'Null where the exchange does not say at the moment.',
  })
  index: 0 | 1 | null;

  @ApiProperty({ ...MAYBE_TEXT, example: 'Yes' })
  label: string | null;
}

/** An order (unified-schema.md 7). The answer to a create repeats the request's outcome, side and price. */
export class OrderDto {
  @ApiProperty(EXCHANGE)
  exchange: string;

  @ApiProperty({ example: '97ec18b7-10d3-4557-9de0-8598aad625f0' })
  id: string;

  @ApiProperty({ ...MAYBE_TEXT, example: '2b8394e0-515e-4b89-b624-f34067756855' })
  client_order_id: string | null;

  @ApiProperty({ example: 'KXHIGHNY-26NOV20-B55.5' })
  market_id: string;

  @ApiProperty({ type: TradedOutcomeDto })
  outcome: TradedOutcomeDto;

  @ApiProperty({ enum: SIDES })
  side: Side;

  @ApiProperty({ enum: ['limit', 'market'] })
  type: 'limit' | 'market';

  @ApiProperty({ ...maybeOneOf(TIMES_IN_FORCE), example: 'gtc' })
  time_in_force: TimeInForce | null;

  @ApiProperty({ type: Boolean, nullable: true, example: false })
  post_only: boolean | null;

  @ApiProperty({ ...DECIMAL, example: '0.42', description: 'Of the outcome named here, 0 to 1.' })
  price: string;

  @ApiProperty({ ...DECIMAL, example: '10' })
  size: string;

  @ApiProperty({ ...DECIMAL, example: '0' })
  filled_size: string;

  @ApiProperty({ ...DECIMAL, example: '10' })
  remaining_size: string;

  @ApiProperty(MAYBE_DECIMAL)
  average_fill_price: string | null;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '0' })
  fees: string | null;

  @ApiProperty({ example: 'USD' })
  currency: string;

  @ApiProperty({ enum: ORDER_STATUSES })
  status: OrderStatus;

  @ApiProperty(MAYBE_TEXT)
  status_reason: string | null;

  @ApiProperty(MAYBE_TIME)
  created_at: string | null;

  @ApiProperty(MAYBE_TIME)
  updated_at: string | null;

  @ApiProperty({ ...MAYBE_TIME, example: null })
  expires_at: string | null;

  @ApiProperty({
    type: [String],
    nullable: true,
    example: [],
    description: 'Ids of its fills, as `GET /{exchange}/fills` has them; null where not all of them show yet.',
  })
  trade_ids: string[] | null;
}

/** What cancelling one order answers: how it is over, by this cancel or before it (unified-schema.md 7). */
export class CancelledOrderDto {
  @ApiProperty(EXCHANGE)
  exchange: string;

  @ApiProperty({ example: '97ec18b7-10d3-4557-9de0-8598aad625f0' })
  id: string;

  @ApiProperty({
    enum: ['cancelled', 'filled', 'expired', 'rejected'],
    description: 'How the order is over: by this cancel, or before it.',
  })
  status: 'cancelled' | 'filled' | 'expired' | 'rejected';

  @ApiProperty({ ...MAYBE_DECIMAL, example: '10', description: 'Null where nobody tells it.' })
  cancelled_size: string | null;

  @ApiProperty({
    ...MAYBE_DECIMAL,
    example: null,
    description:
      'What has filled. Null where nobody tells it, as in the answer to the cancel that did it: repeat the call.',
  })
  filled_size: string | null;

  @ApiProperty({ ...TIME, description: 'When it ended, where the exchange says so, else of this answer.' })
  timestamp: string;
}

/** One of the user's own executions (unified-schema.md 8). */
export class FillDto {
  @ApiProperty(EXCHANGE)
  exchange: string;

  @ApiProperty({ example: '5b3f9c1e-7a42-4f0d-9c55-0d8e2b6a1f34' })
  id: string;

  @ApiProperty({ example: '97ec18b7-10d3-4557-9de0-8598aad625f0' })
  order_id: string;

  @ApiProperty({ example: 'KXHIGHNY-26NOV20-B55.5' })
  market_id: string;

  @ApiProperty({ type: TradedOutcomeDto })
  outcome: TradedOutcomeDto;

  @ApiProperty({ enum: SIDES })
  side: Side;

  @ApiProperty({ ...DECIMAL, example: '0.42' })
  price: string;

  @ApiProperty({ ...DECIMAL, example: '10' })
  size: string;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '0.17' })
  fee: string | null;

  @ApiProperty({ enum: ['maker', 'taker'] })
  role: 'maker' | 'taker';

  @ApiProperty({ enum: ['pending', 'confirmed', 'failed'] })
  status: 'pending' | 'confirmed' | 'failed';

  @ApiProperty(TIME)
  timestamp: string;

  @ApiProperty(MAYBE_TEXT)
  transaction_hash: string | null;
}

/** What the user holds of one outcome (unified-schema.md 8). */
export class PositionDto {
  @ApiProperty(EXCHANGE)
  exchange: string;

  @ApiProperty({ example: 'KXHIGHNY-26NOV20-B55.5' })
  market_id: string;

  @ApiProperty({ ...MAYBE_TEXT, example: 'KXHIGHNY-26NOV20' })
  event_id: string | null;

  @ApiProperty({ type: TradedOutcomeDto })
  outcome: TradedOutcomeDto;

  @ApiProperty({ ...DECIMAL, example: '10' })
  size: string;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '0.42' })
  average_price: string | null;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '4.2' })
  cost_basis: string | null;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '0.43' })
  current_price: string | null;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '4.3' })
  market_value: string | null;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '0.1' })
  unrealized_pnl: string | null;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '0' })
  realized_pnl: string | null;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '0.17' })
  fees_paid: string | null;

  @ApiProperty({ example: 'USD' })
  currency: string;

  @ApiProperty({ enum: ['open', 'redeemable', 'settled'] })
  status: 'open' | 'redeemable' | 'settled';

  @ApiProperty(MAYBE_TEXT)
  title: string | null;

  @ApiProperty(MAYBE_TIME)
  updated_at: string | null;
}

/** What became of a position that was paid out (unified-schema.md 8). */
export class SettlementDto {
  @ApiProperty(EXCHANGE)
  exchange: string;

  @ApiProperty({ example: 'KXHIGHNY-26NOV20-B55.5' })
  market_id: string;

  @ApiProperty(MAYBE_TEXT)
  title: string | null;

  @ApiProperty({
    type: TradedOutcomeDto,
    nullable: true,
    description: 'What was held; null where the exchange does not say.',
  })
  outcome: TradedOutcomeDto | null;

  @ApiProperty({ ...DECIMAL, example: '10' })
  size: string;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '4.2', description: 'What it had cost, without fees.' })
  cost: string | null;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '10' })
  payout: string | null;

  @ApiProperty({
    ...MAYBE_DECIMAL,
    example: '0.17',
    description: 'All fees paid in the market, those of its fills too.',
  })
  fees: string | null;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '5.8', description: '`payout` − `cost`; fees are not in it.' })
  realized_pnl: string | null;

  @ApiProperty({ ...TIME, description: 'When it was paid out.' })
  settled_at: string;
}

export class BalancePartDto {
  @ApiProperty({ example: '0' })
  key: string;

  @ApiProperty({ example: 'Shard 0', description: "The exchange's own name of the part where it has one." })
  label: string;

  @ApiProperty({ ...DECIMAL, example: '78.0186' })
  available: string;

  @ApiProperty(MAYBE_DECIMAL)
  reserved: string | null;
}

/** Money that was moved between two shards of one account (contract.md 5.8). */
export class TransferDto {
  @ApiProperty(EXCHANGE)
  exchange: string;

  @ApiProperty({
    ...MAYBE_TEXT,
    example: '97ec18b7-10d3-4557-9de0-8598aad625f0',
    description: 'Null where the exchange has the transfer but does not show which it is.',
  })
  id: string | null;

  @ApiProperty({ example: '0' })
  from_shard: string;

  @ApiProperty({ example: '2' })
  to_shard: string;

  @ApiProperty({ ...DECIMAL, example: '25' })
  amount: string;

  @ApiProperty({ example: 'USD' })
  currency: string;

  @ApiProperty({ enum: ['pending', 'complete'], description: 'The money has arrived when it is `complete`.' })
  status: 'pending' | 'complete';

  @ApiProperty(MAYBE_TIME)
  created_at: string | null;
}

/** Money at the exchange (unified-schema.md 8). */
export class BalanceDto {
  @ApiProperty(EXCHANGE)
  exchange: string;

  @ApiProperty({ example: 'USD' })
  currency: string;

  @ApiProperty({ ...DECIMAL, example: '98.0186' })
  available: string;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '0' })
  reserved: string | null;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '100.8586' })
  total: string | null;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '2.84' })
  portfolio_value: string | null;

  @ApiProperty({ type: [BalancePartDto] })
  breakdown: BalancePartDto[];

  @ApiProperty(MAYBE_TIME)
  updated_at: string | null;
}

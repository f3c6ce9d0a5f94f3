import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { EXCHANGE_IDS } from '../../exchanges/exchange.registry.js';
import { BOT_ID, MAYBE_DECIMAL } from '../../exchanges/unified.properties.js';
import { CursorListDto, PagingQueryDto } from '../paging/paging.dto.js';
import type { LedgerRow } from '../placing/ledger-pages.repository.js';
import { OptionalId, OptionalTime } from '../request/query-fields.js';

const STATES = ['begun', 'sending', 'unknown', 'made', 'refused', 'abandoned', 'closed'];

/** Query of `GET /account/orders`. */
export class AccountOrdersQueryDto extends PagingQueryDto {
  @ApiPropertyOptional({ enum: STATES, description: 'What is so.' })
  @IsOptional()
  @IsIn(STATES)
  state?: string;

  @ApiPropertyOptional({ enum: EXCHANGE_IDS, description: 'What was asked at one exchange.' })
  @IsOptional()
  @IsIn(EXCHANGE_IDS)
  exchange?: string;

  @OptionalId(
    "By any id: the row's own, the exchange's, the one that it was sent under, or that of a request that worked on it.",
  )
  id?: string;

  @OptionalId('What one bot asked.')
  bot_id?: string;

  @OptionalId('What was asked on one market.')
  market_id?: string;

  @OptionalId("By the exchange's id.")
  order_id?: string;

  @OptionalId('By the id that it was sent under.')
  client_order_id?: string;

  @OptionalId('What one request worked on.')
  request_id?: string;

  @OptionalTime('Asked at or after this time.')
  start?: string;

  @OptionalTime('Asked before this time.')
  end?: string;
}

/** An order or a transfer that was asked of this service (contract.md 4). */
export class AccountOrderDto {
  @ApiProperty({ example: 'plc_01KAMXB3T6Y7W2S4Q8Z0C1V5N9' })
  id: string;

  @ApiProperty({ enum: EXCHANGE_IDS })
  exchange: string;

  @ApiProperty({ enum: ['order', 'transfer'] })
  kind: string;

  @ApiProperty({ enum: STATES, description: '`made` may be open still; `closed` is over.' })
  state: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Why it was refused, or `settled_by_operator` where the operator has written its end; else null.',
    example: null,
  })
  reason: string | null;

  @ApiProperty({ type: String, nullable: true, description: "The exchange's words, or the service's.", example: null })
  words: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: "The exchange's id, also of a transfer.",
    example: '97ec18b7-10d3-4557-9de0-8598aad625f0',
  })
  order_id: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'The id that it was sent under.' })
  client_order_id: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'KXHIGHNY-26NOV20-B55.5' })
  market_id: string | null;

  @ApiProperty({ type: 'integer', nullable: true, example: 0 })
  outcome_index: number | null;

  @ApiProperty({ type: String, nullable: true, example: 'buy' })
  side: string | null;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '0.42' })
  price: string | null;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '10' })
  size: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'gtc' })
  time_in_force: string | null;

  @ApiProperty({ type: Boolean, nullable: true, example: false })
  post_only: boolean | null;

  @ApiProperty({ ...MAYBE_DECIMAL, description: 'What it can cost at most; the amount of a transfer.' })
  cost: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'USD' })
  currency: string | null;

  @ApiProperty({ ...MAYBE_DECIMAL, description: 'As the service saw it last.', example: '0' })
  filled_size: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'svc_sk_live_a1B2' })
  key_prefix: string | null;

  @ApiProperty({ ...BOT_ID, description: 'The bot that asked; null for the main key.' })
  bot_id: string | null;

  @ApiProperty({
    type: [String],
    description: 'The newest requests that worked on it, at most 20.',
    example: ['req_01KAMXB3T6Y7W2S4Q8Z0C1V5N9'],
  })
  request_ids: readonly string[];

  @ApiProperty({ format: 'date-time', example: '2026-11-20T15:00:00.164Z' })
  created_at: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Null where nothing was sent.' })
  first_sent_at: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'Of what is on its way or of unknown fate: from when on it is certain that nothing of it shows any more. Null where no time says so.',
    example: null,
  })
  refusal_holds_at: string | null;

  @ApiProperty({ format: 'date-time', example: '2026-11-20T15:00:00.164Z' })
  updated_at: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'The `Idempotency-Key` that is bound to it, by which an order can be given up (`DELETE /{exchange}/orders/by-key/{idempotency_key}`): ' +
      'null where none was given, where it is free again, and for what a bot sent.',
    example: null,
  })
  idempotency_key: string | null;
}

export class AccountOrderListDto extends CursorListDto {
  @ApiProperty({ type: [AccountOrderDto] })
  data: AccountOrderDto[];
}

export function toAccountOrderDto(row: LedgerRow): AccountOrderDto {
  return {
    id: row.id,
    exchange: row.exchange,
    kind: row.kind,
    state: row.state,
    reason: row.reason,
    words: row.words,
    order_id: row.order_id,
    client_order_id: row.client_order_id,
    market_id: row.market_id,
    outcome_index: row.outcome_index,
    side: row.side,
    price: row.price,
    size: row.size,
    time_in_force: row.time_in_force,
    post_only: row.post_only,
    cost: row.cost,
    currency: row.currency,
    filled_size: row.filled_size,
    key_prefix: row.key_prefix,
    bot_id: row.bot_id,
    request_ids: row.request_ids,
    created_at: row.created_at.toISOString(),
    first_sent_at: row.first_sent_at?.toISOString() ?? null,
    refusal_holds_at: row.refusal_holds_at?.toISOString() ?? null,
    updated_at: row.updated_at.toISOString(),
    idempotency_key: row.idempotency_key,
  };
}

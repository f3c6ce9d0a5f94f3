import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  IsArray,
  IsIn,
  IsOptional,
  IsString,
  Validate,
  ValidateIf,
} from 'class-validator';
import { PriceConstraint, SizeConstraint, TimeAheadConstraint } from '../../exchanges/order-fields.js';
import { OrderDto, type Side, SIDES } from '../../exchanges/unified.trading.dto.js';
import { ABOVE_ZERO, BOT_ID, DECIMAL } from '../../exchanges/unified.properties.js';
import type { NotCancelledReason } from '../../exchanges/unified.words.js';
import { ErrorMemberDto } from '../../platform/errors/error.dto.js';
import { CursorListDto, PagingQueryDto } from '../paging/paging.dto.js';
import { OptionalId } from '../request/query-fields.js';

/** Query of `GET /{exchange}/orders`. */
export class OrdersQueryDto extends PagingQueryDto {
  @ApiPropertyOptional({ enum: ['open', 'closed'], default: 'open', description: 'Open ones, or closed ones.' })
  @IsOptional()
  @IsIn(['open', 'closed'])
  status?: 'open' | 'closed';

  @OptionalId('Orders in one market.')
  market_id?: string;

  @OptionalId(
    'The order with this client order id, open or closed, archived too; an empty list only where all were looked through. With ' +
      '`status`, only where it is so.',
  )
  client_order_id?: string;
}

/** Query of `DELETE /{exchange}/orders`. */
export class CancelQueryDto {
  @OptionalId('Only the orders on this market.')
  market_id?: string;
}

/** As many orders may be named at once. */
const MOST_NAMED = 100;

/** Body of `POST /{exchange}/orders/batch-cancel`. */
export class CancelNamedDto {
  @ApiProperty({
    type: [String],
    minItems: 1,
    maxItems: MOST_NAMED,
    description: 'Ids of orders; one that is named twice counts once.',
    example: ['97ec18b7-10d3-4557-9de0-8598aad625f0'],
  })
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(MOST_NAMED)
  @IsString({ each: true })
  order_ids: string[];
}

/** The `:order_id` of a path. */
export const ORDER_ID = {
  name: 'order_id',
  description: 'The id that the exchange gave the order.',
  example: '97ec18b7-10d3-4557-9de0-8598aad625f0',
} as const;

/** Body of `PATCH /{exchange}/orders/{order_id}`: at least one of them. */
export class AmendOrderDto {
  @ApiPropertyOptional({
    ...DECIMAL,
    description:
      'Of the `outcome` and `side` that a read of the order shows: above 0, below 1, a multiple of the tick of the market.',
    pattern: String.raw`^0\.0*[1-9]\d*$`,
    example: '0.43',
  })
  @ValidateIf((body: AmendOrderDto) => body.price !== undefined)
  @Validate(PriceConstraint)
  price?: string;

  @ApiPropertyOptional({
    ...ABOVE_ZERO,
    description: 'The whole, what has filled included; more than that.',
    example: '8',
  })
  @ValidateIf((body: AmendOrderDto) => body.size !== undefined)
  @Validate(SizeConstraint)
  size?: string;

  @ApiPropertyOptional({
    format: 'date-time',
    description: 'When what rests ends by itself; a time ahead. Fractions of a second are cut.',
    example: '2027-01-31T12:00:00.000Z',
  })
  @ValidateIf((body: AmendOrderDto) => body.expires_at !== undefined)
  @Validate(TimeAheadConstraint)
  expires_at?: string;
}

/** What was asked for when an order was made here, or changed here since. */
export class RequestedDto {
  @ApiProperty({ type: 'integer', enum: [0, 1], example: 0 })
  outcome_index: 0 | 1;

  @ApiProperty({ enum: SIDES, example: 'buy' })
  side: Side;

  @ApiProperty({ ...DECIMAL, example: '0.42', description: 'Of that outcome.' })
  price: string;
}

/** An order, with what was asked for where it was made here (unified-schema.md 7). */
export class ReadOrderDto extends OrderDto {
  @ApiProperty({ ...BOT_ID, description: 'The bot that sent it; null where none did, and where that is not known.' })
  bot_id: string | null;

  @ApiProperty({
    type: RequestedDto,
    nullable: true,
    description: 'What was asked for, in the words of the request; null where the order was not made here.',
  })
  requested: RequestedDto | null;
}

/** What a create answers. */
export class CreatedOrderDto extends ReadOrderDto {
  @ApiProperty({
    example: false,
    description:
      'Whether this is the kept answer of an earlier call with the same `Idempotency-Key`: the order as it was then. Read it for ' +
      'how it stands now.',
  })
  replayed: boolean;
}

const INDEX = { type: 'integer', minimum: 0, description: 'Which order of the list, from 0.' } as const;

/** An order of a batch. */
export class BatchOrderDto {
  @ApiProperty({ ...INDEX, example: 0 })
  index: number;

  @ApiProperty({ type: CreatedOrderDto, description: 'As the create of it alone answers.' })
  order: CreatedOrderDto;
}

/** Why there is no order, or none that is known. */
export class BatchErrorDto {
  @ApiProperty({ ...INDEX, example: 1 })
  index: number;

  @ApiProperty({
    type: ErrorMemberDto,
    description: 'As the create of it alone answers.',
    example: {
      code: 'exchange_rejected',
      message: 'A post-only order would trade at once.',
      request_id: 'req_01KAMXB3T6Y7W2S4Q8Z0C1V5N9',
      retryable: false,
      details: { reason: 'would_cross' },
    },
  })
  error: ErrorMemberDto;
}

@ApiExtraModels(BatchOrderDto, BatchErrorDto)
export class BatchResultsDto {
  @ApiProperty({
    type: 'array',
    items: { oneOf: [{ $ref: getSchemaPath(BatchOrderDto) }, { $ref: getSchemaPath(BatchErrorDto) }] },
    description: 'As many as orders were asked for, in their order.',
  })
  results: (BatchOrderDto | BatchErrorDto)[];
}

/** Why an order was refused: as the create was told, without what belongs to that call. */
export class KeyRefusalDto {
  @ApiProperty({ example: 'exchange_rejected', description: 'A code of errors.md.' })
  code: string;

  @ApiProperty({ description: 'For people.', example: 'A post-only order would trade at once.' })
  message: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'The `details` of that error; empty where it had none.',
    example: { reason: 'would_cross' },
  })
  details: object;
}

/** What became of an `Idempotency-Key`. */
export class KeyFateDto {
  @ApiProperty({
    enum: ['none', 'sending', 'unknown', 'done', 'abandoned'],
    example: 'done',
    description:
      '`none`: no order is under this key, or the last attempt is over 24 h ago. `sending`: a call works on it, or was cut off at ' +
      'it. `unknown`: the order may exist. `done`: `order` or `error` says how it ended. ' +
      '`abandoned`: nothing is sent under it any more; `order` is what it had made, and while `refusal_holds_at` lies ahead one may show yet.',
  })
  state: 'none' | 'sending' | 'unknown' | 'done' | 'abandoned';

  @ApiProperty({
    type: ReadOrderDto,
    nullable: true,
    description: 'The order as the create answered it. Read it for how it stands now.',
  })
  order: ReadOrderDto | null;

  @ApiProperty({ type: KeyRefusalDto, nullable: true, description: 'Why there is none.', example: null })
  error: KeyRefusalDto | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    example: null,
    description:
      'From when on a refusal is final: until then an order may still show that was sent before. Null where no time says so.',
  })
  refusal_holds_at: string | null;
}

/** What the abandoning of an `Idempotency-Key` has come to. */
export class AbandonedKeyDto {
  @ApiProperty({
    enum: ['none', 'cancelled', 'closed'],
    example: 'cancelled',
    description:
      '`none`: no order is under this key, and none will be. `cancelled`: what was left of its order is cancelled. `closed`: its order was ' +
      'over before.',
  })
  state: 'none' | 'cancelled' | 'closed';

  @ApiProperty({ type: ReadOrderDto, nullable: true, description: 'The order, as it is over.' })
  order: ReadOrderDto | null;
}

export class OrderListDto extends CursorListDto {
  @ApiProperty({ type: [ReadOrderDto] })
  data: ReadOrderDto[];
}

class NotCancelledDto {
  @ApiProperty({ description: 'Id of the order.', example: '97ec18b7-10d3-4557-9de0-8598aad625f0' })
  id: string;

  @ApiProperty({
    type: String,
    example: 'not_cancellable',
    description:
      '`not_found`: the exchange has no such open order. `not_cancellable`: it refused the cancel. ' +
      '`exchange_rate_limited`: it asked for fewer calls and did nothing. `unknown`: it did not say, so the order may be ' +
      'open or cancelled. Repeat the call after the last two.',
  })
  reason: NotCancelledReason;
}

/** What cancelling all open orders answers. */
export class CancelledOrdersDto {
  @ApiProperty({
    type: [String],
    description: 'Ids of the orders that are cancelled.',
    example: ['97ec18b7-10d3-4557-9de0-8598aad625f0'],
  })
  cancelled: string[];

  @ApiProperty({ type: [NotCancelledDto], example: [] })
  not_cancelled: NotCancelledDto[];
}

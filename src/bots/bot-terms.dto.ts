import { ApiProperty, ApiPropertyOptional, PartialType } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  IsArray,
  IsIn,
  IsInt,
  IsObject,
  IsString,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { EXCHANGE_IDS } from '../exchanges/exchange.registry.js';
import { ABOVE_ZERO } from '../exchanges/unified.properties.js';
import { BOT_SCOPES, type BotScope, type LimitName } from './bot.js';
import {
  AreNetworks,
  IsAmount,
  IsBotName,
  IsCount,
  IsDistance,
  IsTimeAhead,
  MayBeAbsent,
  MayBeNull,
} from './bot-fields.js';

const MOST_MARKETS = 100;
const MOST_NETWORKS = 20;
const MOST = 1_000_000;
/** The longest id of any exchange. */
const ID_LENGTH = 255;
const ID = { type: String, minLength: 1, maxLength: ID_LENGTH } as const;

const AMOUNT = (description: string, example: string) =>
  ({ ...ABOVE_ZERO, nullable: true, description, example }) as const;
const COUNT = (minimum: number, maximum: number, example: number, description: string) =>
  ({ type: 'integer', minimum, maximum, nullable: true, description, example }) as const;

/** What the OpenAPI document says of each limit. */
const LIMITS = {
  max_order_risk: AMOUNT('The most that one order may lose.', '25'),
  max_open_risk: AMOUNT('The most that all its orders together could still lose.', '100'),
  max_daily_risk: AMOUNT('The most that orders of one UTC day may lose.', '200'),
  max_total_risk: AMOUNT('The same without a reset: a budget that only the owner raises.', '1000'),
  max_position: AMOUNT('The most contracts or shares of one market, long or short.', '500'),
  max_open_orders: COUNT(1, MOST, 20, 'How many orders may be open, on their way or unknown.'),
  max_orders_per_minute: COUNT(1, 6_000, 60, 'How many orders it may try in any 60 s.'),
  max_requests_per_minute: COUNT(
    1,
    MOST,
    300,
    "How many requests of its user's limit it may take in 60 s; null is half of that limit.",
  ),
  max_price_distance: AMOUNT('How far a price may be worse than the best opposite quote; below 1.', '0.05'),
  max_order_seconds: COUNT(300, 2_592_000, 3_600, 'After how many seconds its resting orders end by themselves.'),
} as const satisfies Readonly<Record<LimitName, object>>;

/** The limits of a bot; null is none (contract.md 5.11). Money holds in each currency by itself. */
export class BotLimitsDto {
  @ApiPropertyOptional(LIMITS.max_order_risk)
  @MayBeNull()
  @IsAmount()
  max_order_risk?: string | null;

  @ApiPropertyOptional(LIMITS.max_open_risk)
  @MayBeNull()
  @IsAmount()
  max_open_risk?: string | null;

  @ApiPropertyOptional(LIMITS.max_daily_risk)
  @MayBeNull()
  @IsAmount()
  max_daily_risk?: string | null;

  @ApiPropertyOptional(LIMITS.max_total_risk)
  @MayBeNull()
  @IsAmount()
  max_total_risk?: string | null;

  @ApiPropertyOptional(LIMITS.max_position)
  @MayBeNull()
  @IsAmount()
  max_position?: string | null;

  @ApiPropertyOptional(LIMITS.max_open_orders)
  @MayBeNull()
  @IsCount(1, MOST)
  max_open_orders?: number | null;

  @ApiPropertyOptional(LIMITS.max_orders_per_minute)
  @MayBeNull()
  @IsCount(1, 6_000)
  max_orders_per_minute?: number | null;

  @ApiPropertyOptional(LIMITS.max_requests_per_minute)
  @MayBeNull()
  @IsCount(1, MOST)
  max_requests_per_minute?: number | null;

  @ApiPropertyOptional(LIMITS.max_price_distance)
  @MayBeNull()
  @IsDistance()
  max_price_distance?: string | null;

  @ApiPropertyOptional(LIMITS.max_order_seconds)
  @MayBeNull()
  @IsCount(300, 2_592_000)
  max_order_seconds?: number | null;
}

/** All limits of a bot, as they are answered. */
export class ShownBotLimitsDto {
  @ApiProperty(LIMITS.max_order_risk)
  max_order_risk: string | null;

  @ApiProperty(LIMITS.max_open_risk)
  max_open_risk: string | null;

  @ApiProperty(LIMITS.max_daily_risk)
  max_daily_risk: string | null;

  @ApiProperty(LIMITS.max_total_risk)
  max_total_risk: string | null;

  @ApiProperty(LIMITS.max_position)
  max_position: string | null;

  @ApiProperty(LIMITS.max_open_orders)
  max_open_orders: number | null;

  @ApiProperty(LIMITS.max_orders_per_minute)
  max_orders_per_minute: number | null;

  @ApiProperty(LIMITS.max_requests_per_minute)
  max_requests_per_minute: number | null;

  @ApiProperty(LIMITS.max_price_distance)
  max_price_distance: string | null;

  @ApiProperty(LIMITS.max_order_seconds)
  max_order_seconds: number | null;
}

/** A market, or all markets of an event or a series: exactly one of the three ids. */
export class BotMarketDto {
  @ApiProperty({ enum: EXCHANGE_IDS, example: EXCHANGE_IDS[0] })
  @IsIn(EXCHANGE_IDS)
  exchange: string;

  @ApiPropertyOptional({ ...ID, description: 'One market.', example: 'KXHIGHNY-26NOV20-B55.5' })
  @MayBeAbsent()
  @IsString()
  @MaxLength(ID_LENGTH)
  market_id?: string;

  @ApiPropertyOptional({ ...ID, description: 'All markets of this event.', example: 'KXHIGHNY-26NOV20' })
  @MayBeAbsent()
  @IsString()
  @MaxLength(ID_LENGTH)
  event_id?: string;

  @ApiPropertyOptional({ ...ID, description: 'All markets of this series.', example: 'KXHIGHNY' })
  @MayBeAbsent()
  @IsString()
  @MaxLength(ID_LENGTH)
  series_id?: string;
}

/** Body of `POST /account/bots` (contract.md 5.11). */
export class CreateBotDto {
  @ApiProperty({ minLength: 1, maxLength: 64, description: 'Unique among your bots, without case.', example: 'maker' })
  @IsBotName()
  name: string;

  @ApiPropertyOptional({
    enum: BOT_SCOPES,
    isArray: true,
    description: 'A new bot without them has `read` alone.',
    example: ['trade'],
  })
  @MayBeAbsent()
  @IsArray()
  @ArrayNotEmpty()
  @IsIn(BOT_SCOPES, { each: true })
  scopes?: BotScope[];

  @ApiPropertyOptional({
    enum: EXCHANGE_IDS,
    isArray: true,
    nullable: true,
    description: 'Null is all.',
    example: [EXCHANGE_IDS[0]],
  })
  @MayBeNull()
  @IsArray()
  @ArrayNotEmpty()
  @IsIn(EXCHANGE_IDS, { each: true })
  exchanges?: string[] | null;

  @ApiPropertyOptional({
    type: [BotMarketDto],
    maxItems: MOST_MARKETS,
    nullable: true,
    description: 'What its orders may be of; null is everything. Reading is not restricted.',
  })
  @MayBeNull()
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(MOST_MARKETS)
  @ValidateNested({ each: true })
  @Type(() => BotMarketDto)
  markets?: BotMarketDto[] | null;

  @ApiPropertyOptional({ type: BotLimitsDto, nullable: true, description: 'Null is none.' })
  @MayBeNull()
  @IsObject()
  @ValidateNested()
  @Type(() => BotLimitsDto)
  limits?: BotLimitsDto | null;

  @ApiPropertyOptional({
    type: [String],
    maxItems: MOST_NETWORKS,
    nullable: true,
    description: 'Addresses and CIDR blocks that its keys may be used from; null is everywhere.',
    example: ['203.0.113.0/24'],
  })
  @MayBeNull()
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(MOST_NETWORKS)
  @AreNetworks()
  allowed_networks?: string[] | null;

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When it ends; a time ahead. Null is never.',
    example: '2027-01-31T12:00:00.000Z',
  })
  @MayBeNull()
  @IsTimeAhead()
  expires_at?: string | null;
}

/**
 * Body of `PATCH /account/bots/{bot_id}`: what is left out stays, null is none. No member has a default in the document: clients that fill
 * defaults in would change what nobody named.
 */
export class ChangeBotDto extends PartialType(CreateBotDto, { skipNullProperties: false }) {}

/** Body of `POST /account/bots/{bot_id}/rotate`. */
export class RotateBotKeyDto {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: 86_400,
    default: 0,
    description: 'How long the key before the new one works on.',
    example: 300,
  })
  @MayBeAbsent()
  @IsInt()
  @Min(0)
  @Max(86_400)
  overlap_seconds?: number;
}

import { ApiProperty } from '@nestjs/swagger';
import type { BotMarket } from '../access/principal.js';
import { EXCHANGE_IDS } from '../exchanges/exchange.registry.js';
import { MAYBE_TEXT, MAYBE_TIME, TIME } from '../exchanges/unified.properties.js';
import {
  BOT_SCOPES,
  BOT_STATES,
  type BotScope,
  type BotState,
  HALT_REASONS,
  type HaltReason,
  ON_MISS,
  type OnMiss,
} from './bot.js';
import { BotMarketDto, ShownBotLimitsDto } from './bot-terms.dto.js';

const RISK = {
  type: 'object',
  additionalProperties: { type: 'string', format: 'decimal' },
  description: 'By currency.',
  example: { USD: '12.5' },
} as const;

/** That a bot is halted. */
export class BotHaltDto {
  @ApiProperty(TIME)
  at: string;

  @ApiProperty({ enum: HALT_REASONS, example: 'owner' })
  reason: HaltReason;

  @ApiProperty({
    description: 'The id of a session, the prefix of a key, `operator` or `service`.',
    example: 'ses_01KAMXB3T6Y7W2S4Q8Z0C1V5N9',
  })
  by: string;

  @ApiProperty({
    description:
      'Whether its orders are seen to: false while the service goes on cancelling, as the report of a halt says.',
    example: true,
  })
  complete: boolean;
}

/** The dead man's switch of a bot. */
export class HeartbeatDto {
  @ApiProperty({ type: 'integer', description: 'How long it may stay away.', example: 30 })
  ttl_seconds: number;

  @ApiProperty({ enum: ON_MISS, example: 'halt' })
  on_miss: OnMiss;

  @ApiProperty({ ...MAYBE_TIME, description: 'When it was last beaten.' })
  last_beat_at: string | null;

  @ApiProperty({ ...MAYBE_TIME, description: 'When it fires; null where it is not armed, as while the bot is halted.' })
  expires_at: string | null;

  @ApiProperty({ ...MAYBE_TIME, description: 'Since when it is missed, with `on_miss: "cancel"`.' })
  missed_since: string | null;
}

/** A key of a bot that lives; the key itself is never shown again. */
export class BotKeyDto {
  @ApiProperty({ description: 'Names the key: its first 16 characters.', example: 'svc_sk_live_4fGh' })
  prefix: string;

  @ApiProperty(TIME)
  created_at: string;

  @ApiProperty({ ...MAYBE_TIME, description: 'Exact to a minute; null if never used.' })
  last_used_at: string | null;

  @ApiProperty({ ...MAYBE_TIME, description: 'When it ends, where it was rotated.' })
  valid_until: string | null;
}

/** What a bot has taken of its limits. */
export class BotUsageDto {
  @ApiProperty(RISK)
  open_risk: Readonly<Record<string, string>>;

  @ApiProperty(RISK)
  daily_risk: Readonly<Record<string, string>>;

  @ApiProperty(RISK)
  total_risk: Readonly<Record<string, string>>;

  @ApiProperty({ type: 'integer', example: 3 })
  open_orders: number;

  @ApiProperty({ type: 'integer', example: 12 })
  orders_last_minute: number;

  @ApiProperty({
    type: 'integer',
    description:
      'Orders of which something is not proved yet: those on their way or of unknown fate, those that ended and nobody has said how much ' +
      'had filled, and those with trades that may still fail. One may count in `open_orders` too.',
    example: 0,
  })
  unsettled_orders: number;

  @ApiProperty(TIME)
  as_of: string;
}

/** One bot (contract.md 5.11). */
export class BotDto {
  @ApiProperty({ example: 'bot_01KAMXB3T6Y7W2S4Q8Z0C1V5N9' })
  id: string;

  @ApiProperty({ example: 'maker' })
  name: string;

  @ApiProperty({ enum: BOT_SCOPES, isArray: true, example: ['trade'] })
  scopes: readonly BotScope[];

  @ApiProperty({
    enum: EXCHANGE_IDS,
    isArray: true,
    nullable: true,
    description: 'Null is all.',
    example: [EXCHANGE_IDS[0]],
  })
  exchanges: readonly string[] | null;

  @ApiProperty({
    type: [BotMarketDto],
    nullable: true,
    description: 'Null is everything.',
    example: [{ exchange: EXCHANGE_IDS[0], series_id: 'KXHIGHNY' }],
  })
  markets: readonly BotMarket[] | null;

  @ApiProperty({ type: ShownBotLimitsDto, description: 'All of them; null is none.' })
  limits: ShownBotLimitsDto;

  @ApiProperty({ type: [String], nullable: true, description: 'Null is everywhere.', example: ['203.0.113.0/24'] })
  allowed_networks: readonly string[] | null;

  @ApiProperty(MAYBE_TIME)
  expires_at: string | null;

  @ApiProperty({ enum: BOT_STATES, example: 'active' })
  state: BotState;

  @ApiProperty({ type: BotHaltDto, nullable: true })
  halted: BotHaltDto | null;

  @ApiProperty({ type: [BotKeyDto], description: 'Those that live, newest first.' })
  keys: BotKeyDto[];

  @ApiProperty({ type: HeartbeatDto, nullable: true, description: 'Null where none is set.' })
  heartbeat: HeartbeatDto | null;

  @ApiProperty({ type: BotUsageDto })
  usage: BotUsageDto;

  @ApiProperty(TIME)
  created_at: string;
}

export class BotListDto {
  @ApiProperty({ type: [BotDto], description: 'Newest first, with those that were removed in the last 90 days.' })
  bots: BotDto[];
}

/** The only answer that ever holds the first key of a bot (S-28). */
export class CreatedBotDto {
  @ApiProperty({ type: BotDto })
  bot: BotDto;

  @ApiProperty({
    format: 'password',
    description: 'The whole key. Shown this once: keep it now.',
    example: 'svc_sk_live_4fGh0aBcDeFgHiJkLmNoPqRsTuVwXyZ01234567',
  })
  key: string;
}

export class RotatedBotKeyDto {
  @ApiProperty({
    format: 'password',
    description: 'The whole new key. Shown this once: keep it now.',
    example: 'svc_sk_live_4fGh0aBcDeFgHiJkLmNoPqRsTuVwXyZ01234567',
  })
  key: string;

  @ApiProperty({ description: 'Names the new key: its first 16 characters.', example: 'svc_sk_live_4fGh' })
  prefix: string;

  @ApiProperty({ ...MAYBE_TIME, description: 'When the key before it ends; null where there was none.' })
  previous_valid_until: string | null;
}

class NotCancelledDto {
  @ApiProperty({ example: '97ec18b7-10d3-4557-9de0-8598aad625f0' })
  id: string;

  @ApiProperty({
    description:
      'Why it may still rest; `unknown_owner` after a restore: nothing here knows who has sent it, and nothing here cancels it.',
    example: 'unknown',
  })
  reason: string;
}

class UnsettledOrderDto {
  @ApiProperty({ ...MAYBE_TEXT, example: null })
  order_id: string | null;

  @ApiProperty({ ...MAYBE_TEXT, example: '2b8394e0-515e-4b89-b624-f34067756855' })
  client_order_id: string | null;
}

class HaltErrorDto {
  @ApiProperty({ example: 'exchange_timeout' })
  code: string;

  @ApiProperty({ example: 'The exchange did not answer in time. Try again.' })
  message: string;
}

/** What a halt did at one exchange. */
class ExchangeHaltDto {
  @ApiProperty({ enum: EXCHANGE_IDS, example: EXCHANGE_IDS[0] })
  exchange: string;

  @ApiProperty({
    type: [String],
    description: 'Ids of orders that it cancelled.',
    example: ['97ec18b7-10d3-4557-9de0-8598aad625f0'],
  })
  cancelled: readonly string[];

  @ApiProperty({ type: [NotCancelledDto] })
  not_cancelled: readonly NotCancelledDto[];

  @ApiProperty({ type: [UnsettledOrderDto], description: 'Orders of which it is not known whether they are there.' })
  unsettled: readonly UnsettledOrderDto[];

  @ApiProperty({ type: HaltErrorDto, nullable: true })
  error: HaltErrorDto | null;
}

/** What became of a bot and its orders with a halt (contract.md 5.11). */
export class HaltReportDto {
  @ApiProperty({ example: 'bot_01KAMXB3T6Y7W2S4Q8Z0C1V5N9' })
  bot_id: string;

  @ApiProperty(TIME)
  halted_at: string;

  @ApiProperty({ enum: HALT_REASONS, example: 'owner' })
  reason: HaltReason;

  @ApiProperty({ type: [ExchangeHaltDto] })
  exchanges: readonly ExchangeHaltDto[];

  @ApiProperty({ description: 'Whether nothing of the bot rests but what is named.', example: true })
  complete: boolean;

  @ApiProperty({ description: 'Whether the bot is removed.', example: false })
  removed: boolean;
}

export class HaltReportListDto {
  @ApiProperty({ type: [HaltReportDto] })
  bots: readonly HaltReportDto[];
}

import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, Length, Matches } from 'class-validator';
import { EXCHANGE_IDS } from '../exchanges/exchange.registry.js';
import type { StoredActivityEvent } from './activity.repository.js';
import type { ActivityPage } from './activity-pages.js';
import { ACTIVITY_TYPES } from './activity-event.js';

const DEFAULT_LIMIT = 50;

export class ActivityQueryDto {
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

  @ApiPropertyOptional({ description: 'The `next_cursor` of the page before.' })
  @IsOptional()
  @IsString()
  @Length(1, 2_000)
  cursor?: string;

  @ApiPropertyOptional({ description: 'Only what is of this bot.', example: 'bot_01KAMXB3T6Y7W2S4Q8Z0C1V5N9' })
  @IsOptional()
  @IsString()
  @Matches(/^bot_[0-9A-HJKMNP-TV-Z]{26}$/, { message: 'bot_id must be the id of a bot' })
  bot_id?: string;

  @ApiPropertyOptional({
    description:
      "Only what was done to one order after it was made, by the exchange's id: amended, cancelled, settled.",
  })
  @IsOptional()
  @IsString()
  @Length(1, 200)
  order_id?: string;
}

export function limitOf({ limit }: ActivityQueryDto): number {
  return limit === undefined ? DEFAULT_LIMIT : Number(limit);
}

/** One thing that happened to the account (contract.md 4). */
export class ActivityDto {
  @ApiProperty({ example: 'evt_01KAMXB3T6Y7W2S4Q8Z0C1V5N9' })
  id: string;

  @ApiProperty({ enum: ACTIVITY_TYPES, example: 'login' })
  type: string;

  @ApiProperty({ format: 'date-time', example: '2026-01-31T12:00:00.000Z' })
  created_at: string;

  @ApiProperty({ type: String, nullable: true, description: 'Where the request came from.', example: '203.0.113.7' })
  ip: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'What sent it.', example: 'curl/8.14' })
  user_agent: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The API key, where one is meant.',
    example: 'svc_sk_live_a1B2',
  })
  key_prefix: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The session that did it in place of an API key.',
    example: null,
  })
  session_id: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'The bot that did it, or that is meant.', example: null })
  bot_id: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The exchange, where one is meant.',
    example: EXCHANGE_IDS[0],
  })
  exchange: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The request that did it.',
    example: 'req_01KAMXB3T6Y7W2S4Q8Z0C1V5N9',
  })
  request_id: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'More, by type.',
    example: { provider: 'email' },
  })
  details: object;
}

export class ActivityListDto {
  @ApiProperty({ type: [ActivityDto] })
  data: ActivityDto[];

  @ApiProperty({ type: String, nullable: true, description: 'For the next page; null at the end.', example: null })
  next_cursor: string | null;
}

function toActivityDto(event: StoredActivityEvent): ActivityDto {
  return {
    id: event.id,
    type: event.type,
    created_at: event.createdAt.toISOString(),
    ip: event.ip === '' ? null : event.ip,
    user_agent: event.userAgent === '' ? null : event.userAgent,
    key_prefix: event.keyPrefix,
    session_id: event.sessionId,
    bot_id: event.botId,
    exchange: event.exchange,
    request_id: event.requestId,
    details: event.details,
  };
}

export function toActivityListDto({ events, nextCursor }: ActivityPage): ActivityListDto {
  return { data: events.map(toActivityDto), next_cursor: nextCursor };
}

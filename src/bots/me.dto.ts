import { ApiProperty } from '@nestjs/swagger';
import { SCOPES, type Scope } from '../access/principal.js';
import { EXCHANGE_IDS } from '../exchanges/exchange.registry.js';
import { type Mode, MODES } from '../exchanges/unified.words.js';
import { BOT_STATES, type BotState } from './bot.js';
import { HeartbeatDto } from './bot.dto.js';

const PREFIX = { description: 'Names the key: its first 16 characters.', example: 'svc_sk_live_4fGh' } as const;
const SCOPES_PROPERTY = { enum: SCOPES, isArray: true, example: ['trade'] } as const;
const TIME = { type: String, format: 'date-time', example: '2026-11-20T15:00:00.164Z' } as const;

/** An exchange, as far as the owner of a key has come with it. */
export class MyExchangeDto {
  @ApiProperty({ enum: EXCHANGE_IDS, example: EXCHANGE_IDS[0] })
  id: string;

  @ApiProperty({ description: 'Whether credentials are stored that can sign.', example: true })
  configured: boolean;

  @ApiProperty({ ...TIME, nullable: true, description: 'When the session key that signs ends; null where none does.' })
  session_key_valid_until: string | null;
}

/** So many calls in so many seconds. */
export class LimitDto {
  @ApiProperty({ type: 'integer', example: 1200 })
  requests: number;

  @ApiProperty({ type: 'integer', example: 60 })
  seconds: number;
}

export class LimitsDto {
  @ApiProperty({ description: 'All calls but cancels.' })
  api: LimitDto;

  @ApiProperty({ description: 'Cancels, which count in nothing else.' })
  cancel: LimitDto;
}

/** The bot of a key. */
export class MyBotDto {
  @ApiProperty({ example: 'bot_01KAMXB3T6Y7W2S4Q8Z0C1V5N9' })
  id: string;

  @ApiProperty({ example: 'maker' })
  name: string;

  @ApiProperty({ enum: BOT_STATES, example: 'active' })
  state: BotState;

  @ApiProperty({ type: HeartbeatDto, nullable: true, description: 'Null where none is set.' })
  heartbeat: HeartbeatDto | null;
}

/** Answer of `GET /me` (specification.md 4.10, contract.md 4). */
export class MeDto {
  @ApiProperty({ example: 'usr_01KAMXB3T6Y7W2S4Q8Z0C1V5N9' })
  user_id: string;

  @ApiProperty(PREFIX)
  key_prefix: string;

  @ApiProperty(SCOPES_PROPERTY)
  scopes: Scope[];

  @ApiProperty({ enum: MODES, description: 'Whether orders are of real money: `live`.', example: 'sandbox' })
  mode: Mode;

  @ApiProperty({
    type: [MyExchangeDto],
    description: 'All exchanges, of a bot its own. May be `API_KEY_CACHE_TTL` old.',
  })
  exchanges: MyExchangeDto[];

  @ApiProperty({ type: LimitsDto, nullable: true, description: 'Null where limits are off.' })
  limits: LimitsDto | null;

  @ApiProperty({ type: MyBotDto, nullable: true, description: 'Null for the main key.' })
  bot: MyBotDto | null;
}

import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayNotEmpty, IsArray, IsIn, ValidateIf } from 'class-validator';
import { EXCHANGE_IDS } from '../exchanges/exchange.registry.js';
import { type Mode, MODES } from '../exchanges/unified.words.js';
import { SCOPES, type Scope } from '../access/principal.js';
import { IsLabel } from '../platform/http/display-text.js';
import type { ApiKeyEntity } from './api-key.entity.js';
import type { CreatedApiKey } from './api-keys.service.js';

const PREFIX = { description: 'Names the key: its first 16 characters.', example: 'svc_sk_live_4fGh' } as const;
const SCOPES_PROPERTY = { enum: SCOPES, isArray: true, example: ['trade'] } as const;
const TIME = { type: String, format: 'date-time', example: '2026-11-20T15:00:00.164Z' } as const;

/** Body of `POST /account/api-keys` (specification.md 4.12, S-31). */
export class CreateApiKeyDto {
  @ApiPropertyOptional({ description: 'A label.', default: 'default', minLength: 1, maxLength: 64, example: 'my bot' })
  @ValidateIf((body: CreateApiKeyDto) => body.name !== undefined)
  @IsLabel()
  name?: string;

  @ApiPropertyOptional({
    ...SCOPES_PROPERTY,
    default: ['read'],
    description:
      '`read` is market data, `trade` adds orders, positions and balance, `admin` is every API-key endpoint.',
  })
  @ValidateIf((body: CreateApiKeyDto) => body.scopes !== undefined)
  @IsArray()
  @ArrayNotEmpty()
  @IsIn(SCOPES, { each: true })
  scopes?: Scope[];
}

/** The only answer that ever holds a key (S-28). */
export class CreatedApiKeyDto {
  @ApiProperty({
    description: 'The whole key. Shown this once: keep it now.',
    example: 'svc_sk_live_4fGh0aBcDeFgHiJkLmNoPqRsTuVwXyZ01234567',
  })
  key: string;

  @ApiProperty(PREFIX)
  prefix: string;

  @ApiProperty({ example: 'my bot' })
  name: string;

  @ApiProperty(SCOPES_PROPERTY)
  scopes: Scope[];
}

export class ApiKeyDto {
  @ApiProperty(PREFIX)
  prefix: string;

  @ApiProperty({ example: 'my bot' })
  name: string;

  @ApiProperty(SCOPES_PROPERTY)
  scopes: Scope[];

  @ApiProperty(TIME)
  created_at: string;

  @ApiProperty({ ...TIME, nullable: true, description: 'Exact to a minute; null if never used.' })
  last_used_at: string | null;
}

export class ApiKeyListDto {
  @ApiProperty({ type: [ApiKeyDto] })
  keys: ApiKeyDto[];
}

export class RevokedApiKeyDto {
  @ApiProperty({ example: 'The API key is revoked.' })
  message: string;

  @ApiProperty(PREFIX)
  prefix: string;

  @ApiProperty(TIME)
  revoked_at: string;
}

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

  @ApiProperty({ type: [MyExchangeDto], description: 'All exchanges. May be `API_KEY_CACHE_TTL` old.' })
  exchanges: MyExchangeDto[];

  @ApiProperty({ type: LimitsDto, nullable: true, description: 'Null where limits are off.' })
  limits: LimitsDto | null;
}

function toApiKeyDto({ prefix, name, scopes, createdAt, lastUsedAt }: ApiKeyEntity): ApiKeyDto {
  return {
    prefix,
    name,
    scopes,
    created_at: createdAt.toISOString(),
    last_used_at: lastUsedAt?.toISOString() ?? null,
  };
}

export function toApiKeyListDto(keys: readonly ApiKeyEntity[]): ApiKeyListDto {
  return { keys: keys.map(toApiKeyDto) };
}

/** Whether a body that nobody has checked asks for more than a key that reads (S-59). */
export function asksForMoreThanRead(body: unknown): boolean {
  const scopes = typeof body === 'object' && body !== null && 'scopes' in body ? body.scopes : undefined;
  return scopes !== undefined && !(Array.isArray(scopes) && scopes.every((scope) => scope === 'read'));
}

export function toCreatedApiKeyDto({ key, stored }: CreatedApiKey): CreatedApiKeyDto {
  return { key, prefix: stored.prefix, name: stored.name, scopes: stored.scopes };
}

export function toRevokedApiKeyDto(prefix: string, revokedAt: Date): RevokedApiKeyDto {
  return { message: 'The API key is revoked.', prefix, revoked_at: revokedAt.toISOString() };
}

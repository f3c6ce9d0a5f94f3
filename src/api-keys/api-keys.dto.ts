import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayNotEmpty, IsArray, IsIn, ValidateIf } from 'class-validator';
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
    format: 'password',
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

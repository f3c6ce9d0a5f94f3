import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import type { CredentialStatus, StoredCredential } from './credentials.service.js';
import { documentFields } from '../exchanges/exchange-docs.js';
import { EXCHANGE_IDS, EXCHANGES } from '../exchanges/exchange.registry.js';

/** Query of `PUT /account/credentials/{exchange}`. */
export class VerifyQueryDto {
  @ApiPropertyOptional({ enum: ['true', 'false'], description: 'Ask the exchange first, by one signed read.' })
  @IsOptional()
  @IsIn(['true', 'false'])
  verify?: 'true' | 'false';
}

export class CredentialStatusDto {
  @ApiProperty({ example: true })
  configured: boolean;

  /** What each exchange shows of its credentials (`ExchangeClass.shownCredentials`). */
  [shown: string]: string | boolean;
}

for (const { shownCredentials } of EXCHANGES) {
  documentFields(CredentialStatusDto, shownCredentials, 'Only where the exchange has one and credentials are stored.');
}

/** Answer of `GET /account/credentials`: never a value that is secret (specification.md 4.13). */
export class CredentialListDto {
  @ApiProperty({
    type: 'object',
    additionalProperties: { $ref: '#/components/schemas/CredentialStatusDto' },
    example: Object.fromEntries(EXCHANGE_IDS.map((id) => [id, { configured: false }])),
  })
  exchanges: Record<string, CredentialStatusDto>;
}

/** Answer of `PUT /account/credentials/{exchange}`. */
export class StoredCredentialDto extends CredentialStatusDto {
  @ApiProperty({ enum: EXCHANGE_IDS })
  exchange: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T15:00:00.164Z' })
  updated_at: string;
}

/** Answer of `DELETE /account/credentials/{exchange}`, also when nothing was stored. */
export class RemovedCredentialDto {
  @ApiProperty({ enum: EXCHANGE_IDS })
  exchange: string;

  @ApiProperty({ example: false })
  configured: boolean;
}

/** Answer of `POST /account/credentials/{exchange}/verify`. */
export class VerifiedCredentialDto {
  @ApiProperty({ enum: EXCHANGE_IDS })
  exchange: string;

  @ApiProperty({ example: true })
  verified: boolean;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T15:00:00.164Z' })
  checked_at: string;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'How far the exchange is ahead of this host.',
    example: 12,
  })
  clock_skew_ms: number | null;
}

export function toVerifiedCredentialDto(
  exchange: string,
  { checkedAt, clockSkewMs }: { checkedAt: Date; clockSkewMs: number | null },
): VerifiedCredentialDto {
  return { exchange, verified: true, checked_at: checkedAt.toISOString(), clock_skew_ms: clockSkewMs };
}

export function toCredentialListDto(statuses: readonly CredentialStatus[]): CredentialListDto {
  const entries = statuses.map(({ exchange, configured, shown }) => [exchange, { configured, ...shown }] as const);
  return { exchanges: Object.fromEntries(entries) };
}

export function toStoredCredentialDto({ exchange, updatedAt, shown }: StoredCredential): StoredCredentialDto {
  return { exchange, configured: true, updated_at: updatedAt.toISOString(), ...shown };
}

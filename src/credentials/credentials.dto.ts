import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import type { KeyFacts } from '../exchanges/exchange.js';
import { CREDENTIAL_WARNINGS, type CredentialWarning } from '../exchanges/unified.words.js';
import type {
  CredentialReview,
  CredentialStatus,
  StoredCredential,
  VerifiedCredential,
} from './credentials.service.js';
import { documentFields } from '../exchanges/exchange-docs.js';
import { EXCHANGE_IDS, EXCHANGES } from '../exchanges/exchange.registry.js';

const NOTHING_SAID = { key: null, session_key: null, warnings: [] };

/** Query of `PUT /account/credentials/{exchange}`. */
export class VerifyQueryDto {
  @ApiPropertyOptional({ enum: ['true', 'false'], description: 'Ask the exchange first, by one signed read.' })
  @IsOptional()
  @IsIn(['true', 'false'])
  verify?: 'true' | 'false';
}

/** What the exchange says of an API key (contract.md 9). */
class CredentialKeyDto {
  @ApiProperty({ type: [String], nullable: true, description: 'Null where the exchange did not say.' })
  scopes: string[] | null;

  @ApiProperty({ type: String, nullable: true, description: 'The one subaccount that the key may use.', example: null })
  subaccount: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Until when the location of the account counts as attested.',
  })
  attestation_expires_at: string | null;
}

/** What the exchange said of credentials when they were stored or verified last (contract.md 9). */
class CredentialReviewDto {
  @ApiProperty({
    type: CredentialKeyDto,
    nullable: true,
    description: 'Null where the exchange has no such keys, or has not said.',
  })
  key: CredentialKeyDto | null;

  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true, description: 'Always null today.' })
  session_key: null;

  @ApiProperty({
    enum: CREDENTIAL_WARNINGS,
    isArray: true,
    description: 'What their owner should know, by what the exchange said last.',
    example: [],
  })
  warnings: CredentialWarning[];
}

export class CredentialStatusDto extends CredentialReviewDto {
  @ApiProperty({ example: true })
  configured: boolean;

  /** What each exchange shows of its credentials (`ExchangeClass.shownCredentials`). */
  [shown: string]: unknown;
}

for (const { shownCredentials } of EXCHANGES) {
  documentFields(CredentialStatusDto, shownCredentials, 'Only where the exchange has one and credentials are stored.');
}

/** Answer of `GET /account/credentials`: never a value that is secret (specification.md 4.13). */
export class CredentialListDto {
  @ApiProperty({
    type: 'object',
    additionalProperties: { $ref: '#/components/schemas/CredentialStatusDto' },
    example: Object.fromEntries(EXCHANGE_IDS.map((id) => [id, { configured: false, ...NOTHING_SAID }])),
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
export class VerifiedCredentialDto extends CredentialReviewDto {
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
  { checkedAt, clockSkewMs, ...review }: VerifiedCredential,
): VerifiedCredentialDto {
  const verified = { exchange, verified: true, checked_at: checkedAt.toISOString(), clock_skew_ms: clockSkewMs };
  return { ...verified, ...reviewFields(review) };
}

export function toCredentialListDto(statuses: readonly CredentialStatus[]): CredentialListDto {
  const entries = statuses.map(({ exchange, configured, shown, ...review }) => {
    return [exchange, { configured, ...shown, ...reviewFields(review) }] as const;
  });
  return { exchanges: Object.fromEntries(entries) };
}

export function toStoredCredentialDto({
  exchange,
  updatedAt,
  shown,
  ...review
}: StoredCredential): StoredCredentialDto {
  return { exchange, configured: true, updated_at: updatedAt.toISOString(), ...shown, ...reviewFields(review) };
}

function reviewFields({ key, warnings }: CredentialReview): Pick<CredentialReviewDto, keyof CredentialReviewDto> {
  return { key: key && toKeyDto(key), session_key: null, warnings: [...warnings] };
}

function toKeyDto({ scopes, subaccount, attestationExpiresAt }: KeyFacts): CredentialKeyDto {
  const attested = attestationExpiresAt === null ? null : new Date(attestationExpiresAt).toISOString();
  return { scopes: scopes && [...scopes], subaccount, attestation_expires_at: attested };
}

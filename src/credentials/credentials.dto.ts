import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import type { KeyFacts } from '../exchanges/credentials.contract.js';
import { CREDENTIAL_WARNINGS, type CredentialWarning } from '../exchanges/unified.words.js';
import type { CredentialReview, SessionKeyStatus } from './credential-review.js';
import type { CredentialStatus, StoredCredential, VerifiedCredential } from './credentials.service.js';
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

/** What the exchange says of an API key (contract.md 4). */
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

/** A session key as its owner sees it (contract.md 5.9). */
class SessionKeyStatusDto {
  @ApiProperty({ description: 'Of the key itself.', example: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' })
  address: string;

  @ApiProperty({
    enum: ['pending', 'active', 'expired'],
    description: '`expired` also where the exchange has refused the key.',
  })
  state: 'pending' | 'active' | 'expired';

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Null where nobody stated it.' })
  valid_until: string | null;
}

/** What the exchange said of credentials when they were stored or verified last (contract.md 4). */
class CredentialReviewDto {
  @ApiProperty({
    type: CredentialKeyDto,
    nullable: true,
    description: 'Null where the exchange has no such keys, or has not said.',
  })
  key: CredentialKeyDto | null;

  @ApiProperty({
    type: SessionKeyStatusDto,
    nullable: true,
    description: 'The session key in use, else the one that waits; null where there is none.',
  })
  session_key: SessionKeyStatusDto | null;

  @ApiPropertyOptional({ type: SessionKeyStatusDto, description: 'Only where one waits beside the one in use.' })
  pending_session_key?: SessionKeyStatusDto;

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
    type: 'integer',
    nullable: true,
    description: 'How far the exchange is ahead of this host.',
    example: 12,
  })
  clock_skew_ms: number | null;

  @ApiPropertyOptional({
    type: [String],
    description:
      'Contracts that the owner of the account has yet to approve before a session key can trade; left out where there are none.',
  })
  missing_allowances?: string[];
}

export function toVerifiedCredentialDto(
  exchange: string,
  { checkedAt, clockSkewMs, missingAllowances, ...review }: VerifiedCredential,
): VerifiedCredentialDto {
  const verified = { exchange, verified: true, checked_at: checkedAt.toISOString(), clock_skew_ms: clockSkewMs };
  const missing = missingAllowances.length === 0 ? {} : { missing_allowances: [...missingAllowances] };
  return { ...verified, ...reviewFields(review), ...missing };
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
  configured,
  ...review
}: StoredCredential): StoredCredentialDto {
  return { exchange, configured, updated_at: updatedAt.toISOString(), ...shown, ...reviewFields(review) };
}

function reviewFields(review: CredentialReview): Pick<CredentialReviewDto, keyof CredentialReviewDto> {
  const { key, sessionKey, pendingSessionKey, warnings } = review;
  return {
    key: key && toKeyDto(key),
    session_key: sessionKey && toSessionKeyStatusDto(sessionKey),
    ...(pendingSessionKey && { pending_session_key: toSessionKeyStatusDto(pendingSessionKey) }),
    warnings: [...warnings],
  };
}

function toSessionKeyStatusDto({ address, state, validUntil }: SessionKeyStatus): SessionKeyStatusDto {
  return { address, state, valid_until: validUntil?.toISOString() ?? null };
}

function toKeyDto({ scopes, subaccount, attestationExpiresAt }: KeyFacts): CredentialKeyDto {
  const attested = attestationExpiresAt === null ? null : new Date(attestationExpiresAt).toISOString();
  return { scopes: scopes && [...scopes], subaccount, attestation_expires_at: attested };
}

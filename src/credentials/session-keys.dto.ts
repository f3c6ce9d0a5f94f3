import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Matches, Validate, ValidateIf, ValidatorConstraint, type ValidatorConstraintInterface } from 'class-validator';
import { EXCHANGE_IDS } from '../exchanges/exchange.registry.js';
import { SESSION_KEY_TEXTS } from '../exchanges/exchange-docs.js';
import { parseIsoTime } from '../exchanges/time.js';
import type { ChangedSessionKey, CreatedSessionKey } from './session-keys.service.js';

const [ONE] = SESSION_KEY_TEXTS;
const WALLETS = SESSION_KEY_TEXTS.map(({ wallet }) => wallet);

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const ADDRESS_DOCS = { pattern: '^0x[0-9a-fA-F]{40}$', example: '0x8ba1f109551bD432803012645Ac136ddd64DBA72' };

const DAY_MS = 86_400_000;

/** A time that is taken when it is tried: the midnight that is 190 days after the start of this process. */
const VALID_UNTIL_EXAMPLE = new Date((Math.floor(Date.now() / DAY_MS) + 190) * DAY_MS).toISOString();

@ValidatorConstraint({ name: 'isTime' })
class TimeConstraint implements ValidatorConstraintInterface {
  validate(value: unknown): boolean {
    return parseIsoTime(value) !== null;
  }

  defaultMessage(): string {
    return 'must be an ISO 8601 time';
  }
}

/** Body of `POST /account/credentials/{exchange}/session-key`. */
export class NewSessionKeyDto {
  @ApiProperty({ description: `The account that the key is to trade for: ${WALLETS.join(', or ')}.`, ...ADDRESS_DOCS })
  @Matches(ADDRESS, { message: 'wallet_address must be 0x and 40 hex digits' })
  wallet_address: string;
}

/** Body of `POST /account/credentials/{exchange}/session-key/activate`. */
export class SessionKeyActivationDto {
  @ApiPropertyOptional({
    format: 'date-time',
    description: 'When the key ends, where the exchange does not say: ahead, by at most 200 days.',
    example: VALID_UNTIL_EXAMPLE,
  })
  @ValidateIf((body: SessionKeyActivationDto) => body.valid_until !== undefined)
  @Validate(TimeConstraint)
  valid_until?: string;
}

class SessionKeyDto {
  @ApiProperty({ description: 'Of the key itself.', ...ADDRESS_DOCS })
  address: string;

  @ApiProperty({ description: 'The account that the key trades for.', ...ADDRESS_DOCS })
  wallet_address: string;

  @ApiProperty({ enum: ['pending', 'active'] })
  state: 'pending' | 'active';

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Null where nobody stated it.',
    example: null,
  })
  valid_until: string | null;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T15:00:00.164Z' })
  created_at: string;
}

class SessionKeyAuthorizationDto {
  @ApiProperty(ADDRESS_DOCS)
  wallet_address: string;

  @ApiProperty(ADDRESS_DOCS)
  session_address: string;

  @ApiProperty({ type: 'integer', example: ONE?.chainId })
  chain_id: number;

  @ApiProperty({ type: [String], example: ONE?.scopes })
  scopes: string[];

  @ApiProperty({
    description: 'What the owner of the account runs, on a machine of their own.',
    example: `${ONE?.command ?? ''} -- authorize`,
  })
  command: string;
}

/** Answer of an activation. */
export class SessionKeyAnswerDto {
  @ApiProperty({ enum: EXCHANGE_IDS, example: ONE?.id })
  exchange: string;

  @ApiProperty({ type: SessionKeyDto })
  session_key: SessionKeyDto;
}

/** Answer that a new key gets. */
export class CreatedSessionKeyDto extends SessionKeyAnswerDto {
  @ApiProperty({ type: SessionKeyAuthorizationDto, description: 'What lets the key trade.' })
  authorization: SessionKeyAuthorizationDto;
}

/** Answer of `DELETE /account/credentials/{exchange}/session-key`. */
export class RemovedSessionKeyDto {
  @ApiProperty({ enum: EXCHANGE_IDS, example: ONE?.id })
  exchange: string;

  @ApiProperty({ description: 'False where there was none.' })
  removed: boolean;
}

/** Null where the body states none. */
export function toValidUntil({ valid_until }: SessionKeyActivationDto): Date | null {
  const time = parseIsoTime(valid_until);
  return time === null ? null : new Date(time);
}

export function toSessionKeyAnswerDto(key: ChangedSessionKey): SessionKeyAnswerDto {
  return {
    exchange: key.exchange,
    session_key: {
      address: key.address,
      wallet_address: key.walletAddress,
      state: key.state,
      valid_until: key.validUntil?.toISOString() ?? null,
      created_at: key.createdAt.toISOString(),
    },
  };
}

export function toCreatedSessionKeyDto({ key, authorization }: CreatedSessionKey): CreatedSessionKeyDto {
  const { exchange, session_key } = toSessionKeyAnswerDto(key);
  return { exchange, session_key, authorization: { ...authorization, scopes: [...authorization.scopes] } };
}

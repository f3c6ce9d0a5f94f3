import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { ErrorDetails } from './app-error.js';
import { ERROR_CODES, type ErrorCode, ERROR_REASONS } from './error-codes.js';

const TEXT = (description: string): object => ({ type: 'string', description });
const AMOUNT = (description: string): object => ({
  oneOf: [{ type: 'string', format: 'decimal' }, { type: 'integer' }],
  description,
});
const TEXTS = (description: string): object => ({ type: 'array', items: { type: 'string' }, description });

const FIELD = {
  type: 'object',
  properties: {
    field: TEXT('Path of the field, such as `order.price`.'),
    message: TEXT('What is expected there.'),
  },
} as const;

const EXCHANGE = {
  type: 'object',
  description: 'What the exchange answered.',
  properties: {
    id: TEXT('Which exchange it is.'),
    status: { type: 'integer', nullable: true, description: 'HTTP status of its answer; null where it gave none.' },
    code: { ...TEXT('Its own code of the error; null where it named none.'), nullable: true },
    message: TEXT('Its own words, scrubbed and cut to 200 characters: of `exchange_rejected` alone.'),
  },
} as const;

const SHARD = {
  type: 'object',
  description: 'Of `insufficient_funds`: where money is missing, and where there is some.',
  properties: {
    needed: TEXT('The shard that the market is on.'),
    available: {
      type: 'array',
      description: 'The shards of the account that hold money.',
      items: {
        type: 'object',
        properties: {
          shard: TEXT('A shard.'),
          available: { ...TEXT('What is there, in dollars.'), format: 'decimal' },
        },
      },
    },
  },
} as const;

const NOT_CANCELLED = {
  type: 'object',
  properties: {
    id: TEXT('Id of the order.'),
    reason: TEXT(
      'Why it is not cancelled, as in the answer of a cancel of several orders; `unknown` where nobody said.',
    ),
  },
} as const;

/** Every member of `details`, in one sentence each (contract.md 3). */
const MEMBERS: Record<keyof ErrorDetails, object> = {
  reason: {
    ...TEXT('Stable; why, where a code has more than one way out.'),
    enum: [...new Set(Object.values(ERROR_REASONS).flat())].sort(),
  },
  fields: { type: 'array', items: FIELD, description: 'Of `bad_request`: the fields that are not valid, at most 20.' },
  reasons: TEXTS('Of `weak_password`: all that speaks against it: `too_short`, `too_long`, `common`, `personal`.'),
  required_scope: TEXT('Of `forbidden`: the scope that the API key lacks.'),
  since: { ...TEXT('Of `bot_halted`: since when the bot is halted.'), format: 'date-time' },
  limit: TEXT('Of `limit_exceeded`: the limit of the bot that the order would pass.'),
  allowed: AMOUNT('Of `limit_exceeded`: as much as that limit allows, an integer of counts and seconds.'),
  used: AMOUNT('Of `limit_exceeded`: what is used of it.'),
  asked: { ...AMOUNT('Of `limit_exceeded`: what the order would add; null where it has no measure.'), nullable: true },
  resets_at: {
    ...TEXT('Of `limit_exceeded`: when the limit starts anew; null where it does not.'),
    format: 'date-time',
    nullable: true,
  },
  exchange: EXCHANGE,
  client_order_id: TEXT('The name by which to look for an order that may exist, or that was refused.'),
  order_id: TEXT('The exchange’s name of an order that may exist, or that filled nothing: read it by this.'),
  client_transfer_id: TEXT('The name under which a transfer was sent that may exist.'),
  refusal_holds_at: {
    ...TEXT(
      'Of an order of unknown fate under a key that was given up: when it is certain at the latest; null where no time says so.',
    ),
    format: 'date-time',
    nullable: true,
  },
  spender: TEXT('Of `allowance_missing`: the contract that the account has to approve.'),
  shard: SHARD,
  cancelled: TEXTS('Of a cancel of several orders that ended early: ids of those that it cancelled.'),
  not_cancelled: {
    type: 'array',
    items: NOT_CANCELLED,
    description:
      'Of a cancel of several orders that ended early: those that it named and did not cancel, or may not have.',
  },
  may_have_been_cancelled: {
    type: 'boolean',
    enum: [true],
    description: 'There where a cancel may have been taken although its answer was lost: repeat it, or read the order.',
  },
};

/** Says of a member of `details` what it means at the exchanges that have it, in place of what it means anywhere. */
export function describeDetail(member: keyof ErrorDetails, description: string): void {
  MEMBERS[member] = { ...MEMBERS[member], description };
}

/** Members are there where they hold something; more may come. */
const DETAILS = {
  type: 'object',
  additionalProperties: true,
  description: 'What a program needs beside the code; a member is there only where it holds something.',
  properties: MEMBERS,
  example: { required_scope: 'trade' },
} as const;

/** What went wrong, for programs and people. */
export class ErrorMemberDto {
  @ApiProperty({ enum: Object.keys(ERROR_CODES), description: 'Stable; branch on this.', example: 'forbidden' })
  code: ErrorCode;

  @ApiProperty({ description: 'For people; names the way out.', example: 'This API key lacks the trade scope.' })
  message: string;

  @ApiProperty({ description: 'Also the X-Request-Id header.', example: 'req_01KAMXB3T6Y7W2S4Q8Z0C1V5N9' })
  request_id: string;

  @ApiProperty({ description: 'Whether repeating the same call can help.', example: false })
  retryable: boolean;

  @ApiPropertyOptional(DETAILS)
  details?: object;
}

/** The one body of every error (contract.md 3). */
export class ErrorDto {
  @ApiProperty({ type: ErrorMemberDto })
  error: ErrorMemberDto;
}

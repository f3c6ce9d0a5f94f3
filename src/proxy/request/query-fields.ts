import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, Length, Matches } from 'class-validator';
import { isDayOfItsMonth } from '../../exchanges/time.js';
import { badField } from '../../platform/errors/app-error.js';

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;
const MARKET_EXAMPLE = 'KXHIGHNY-26NOV20-B55.5';

/** A required `market_id`. */
export function RequiredMarketId(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ description: 'The id of the market.', example: MARKET_EXAMPLE }),
    IsString(),
    Length(1, 200),
  );
}

/** An id to filter by. */
export function OptionalId(description: string): PropertyDecorator {
  return applyDecorators(ApiPropertyOptional({ description }), IsOptional(), IsString(), Length(1, 200));
}

/** `outcome`: an index, a side, an id or a label (unified-schema.md 1). */
export function OptionalOutcome(): PropertyDecorator {
  const description = '`0`, `1`, `yes`, `no`, an outcome id or its label.';
  return applyDecorators(ApiPropertyOptional({ default: '0', description }), IsOptional(), IsString(), Length(1, 200));
}

/** A time with its zone, ISO 8601. */
export function OptionalTime(description: string): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ type: String, format: 'date-time', description }),
    IsOptional(),
    IsString(),
    Matches(TIME, { message: '$property must be a time such as 2026-11-20T15:00:00Z' }),
  );
}

/** Both ends of a time span, where present; throws `bad_request` unless it starts before it ends. */
export function spanOf(query: { readonly start?: string; readonly end?: string }): {
  readonly start: Date | undefined;
  readonly end: Date | undefined;
} {
  const [start, end] = [timeOf('start', query.start), timeOf('end', query.end)];
  if (start !== undefined && end !== undefined && start >= end) throw badField('start', 'must be before end');
  return { start, end };
}

/** The time of a checked text; throws `bad_request` for a time that does not exist, such as 29 February 2026. */
export function timeOf(field: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const time = new Date(text);
  if (Number.isNaN(time.getTime()) || !isDayOfItsMonth(text)) throw badField(field, 'must be a time that there is');
  return time;
}

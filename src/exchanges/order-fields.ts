import { type ValidationArguments, ValidatorConstraint, type ValidatorConstraintInterface } from 'class-validator';
import { compare, type Decimal, isDecimal } from './decimal.js';
import { parseIsoTime } from './time.js';

/* Checks of the fields that an order of plain parameters has at every exchange (unified-schema.md 7). */

/** A decimal above 0; tick and smallest size are the market's. */
function isAboveZero(value: unknown): value is Decimal {
  return isDecimal(value) && compare(value, '0') > 0;
}

@ValidatorConstraint({ name: 'isPrice' })
export class PriceConstraint implements ValidatorConstraintInterface {
  validate(value: unknown): boolean {
    return isAboveZero(value) && compare(value, '1') < 0;
  }

  defaultMessage(): string {
    return 'must be a decimal string above 0 and below 1';
  }
}

@ValidatorConstraint({ name: 'isSize' })
export class SizeConstraint implements ValidatorConstraintInterface {
  validate(value: unknown): boolean {
    return isAboveZero(value);
  }

  defaultMessage(): string {
    return 'must be a decimal string above 0';
  }
}

/** Judges by the field `time_in_force` of the same body. */
@ValidatorConstraint({ name: 'isExpiry' })
export class ExpiryConstraint implements ValidatorConstraintInterface {
  validate(value: unknown, { object }: ValidationArguments): boolean {
    const expires = 'time_in_force' in object && object.time_in_force === 'gtd';
    return expires ? parseIsoTime(value) !== null : value === undefined;
  }

  defaultMessage(): string {
    return 'must be an ISO 8601 time with gtd, and must be left out otherwise';
  }
}

/** A time ahead, by this host's clock. */
@ValidatorConstraint({ name: 'isTimeAhead' })
export class TimeAheadConstraint implements ValidatorConstraintInterface {
  validate(value: unknown): boolean {
    const time = parseIsoTime(value);
    return time !== null && Date.parse(time) > Date.now();
  }

  defaultMessage(): string {
    return 'must be an ISO 8601 time ahead';
  }
}

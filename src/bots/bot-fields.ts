import { registerDecorator, ValidateIf } from 'class-validator';
import { isNetwork } from '../access/networks.js';
import { compare, isDecimal, placesOf } from '../exchanges/decimal.js';
import { parseIsoTime } from '../exchanges/time.js';
import { isLabel } from '../platform/http/display-text.js';

/* Checks of the fields of a bot (contract.md 5.11). */

const MOST_PLACES = 6;

function rule(name: string, check: (value: unknown) => boolean, message: string, each = false): PropertyDecorator {
  return (target, property) => {
    registerDecorator({
      name,
      target: target.constructor,
      propertyName: String(property),
      options: { each },
      validator: { validate: check, defaultMessage: () => message },
    });
  };
}

function isAmount(value: unknown): boolean {
  return isDecimal(value) && compare(value, '0') > 0 && placesOf(value) <= MOST_PLACES;
}

/** The field may be left out. */
export function MayBeAbsent(): PropertyDecorator {
  return ValidateIf((_: object, value: unknown) => value !== undefined);
}

/** The field may be left out, or be null for none. */
export function MayBeNull(): PropertyDecorator {
  return ValidateIf((_: object, value: unknown) => value !== undefined && value !== null);
}

/** Of 1 to 64 characters without the spaces around it. */
export function IsBotName(): PropertyDecorator {
  const isName = (value: unknown): boolean => typeof value === 'string' && isLabel(value.trim());
  return rule('isBotName', isName, 'must be 1 to 64 characters, without control characters');
}

/** Money or a size. */
export function IsAmount(): PropertyDecorator {
  return rule('isAmount', isAmount, 'must be a decimal string above 0 with at most 6 decimals');
}

/** A part of a price. */
export function IsDistance(): PropertyDecorator {
  const isDistance = (value: unknown): boolean => isAmount(value) && compare(String(value), '1') < 0;
  return rule('isDistance', isDistance, 'must be a decimal string above 0 and below 1 with at most 6 decimals');
}

/** A whole number, no text. */
export function IsCount(least: number, most: number): PropertyDecorator {
  const isCount = (value: unknown): boolean =>
    Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most;
  return rule('isCount', isCount, `must be a whole number from ${least} to ${most}`);
}

/** A list of networks. */
export function AreNetworks(): PropertyDecorator {
  return rule('areNetworks', isNetwork, 'must hold IPv4 or IPv6 addresses or CIDR blocks', true);
}

/** An ISO 8601 time ahead. */
export function IsTimeAhead(): PropertyDecorator {
  const isAhead = (value: unknown): boolean => {
    const time = parseIsoTime(value);
    return time !== null && Date.parse(time) > Date.now();
  };
  return rule('isTimeAhead', isAhead, 'must be an ISO 8601 time ahead');
}

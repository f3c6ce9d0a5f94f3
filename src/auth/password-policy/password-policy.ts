import { AppError } from '../../platform/errors/app-error.js';
import { COMMON_PASSWORDS } from './common-passwords.js';

const MIN_CODE_POINTS = 12;
const MAX_CODE_POINTS = 128;
const SERVICE_NAMES = new Set(['trading proxy', 'trading-proxy', 'trading_proxy', 'tradingproxy']);
/** More UTF-16 units than that are too many code points, whatever they are. */
const MAX_LENGTH = 2 * MAX_CODE_POINTS;
/** What people append to a common password. */
const TAIL_CHARACTER = /[\d\p{P}\p{S}\s]/u;

/** Why a password is refused (contract.md 3). */
type Weakness = 'too_short' | 'too_long' | 'common' | 'personal';

const ADVICE: Readonly<Record<Weakness, string>> = {
  too_short: `it needs at least ${MIN_CODE_POINTS} characters`,
  too_long: `it may have at most ${MAX_CODE_POINTS} characters`,
  common: 'it is one of the most common passwords',
  personal: 'it is your e-mail address',
};

function withoutTail(text: string): string {
  const characters = Array.from(text);
  return characters.slice(0, characters.findLastIndex((character) => !TAIL_CHARACTER.test(character)) + 1).join('');
}

/**
 * Everything that speaks against a password, for the account of this canonical address (S-1, S-3). One that is too long is
 * looked at no further (S-53).
 */
function weaknessesOf(password: string, email: string): Weakness[] {
  const length = password.length > MAX_LENGTH ? Infinity : Array.from(password).length;
  if (length > MAX_CODE_POINTS) return ['too_long'];
  const whole = password.toLowerCase();
  const forms = [whole, withoutTail(whole)];
  const own = [email, email.slice(0, email.indexOf('@'))];
  const found = {
    too_short: length < MIN_CODE_POINTS,
    common: forms.some((form) => COMMON_PASSWORDS.has(form) || SERVICE_NAMES.has(form)),
    personal: forms.some((form) => own.includes(form)),
  };
  return (['too_short', 'common', 'personal'] as const).filter((weakness) => found[weakness]);
}

/** Throws `weak_password` with all reasons; the password counts as it is, untrimmed and in its own case (S-2). */
export function assertStrongPassword(password: string, email: string): void {
  const reasons = weaknessesOf(password, email);
  if (reasons.length === 0) return;
  const advice = reasons.map((reason) => ADVICE[reason]).join('; ');
  throw new AppError('weak_password', `Choose another password: ${advice}.`, { details: { reasons } });
}

import { registerDecorator } from 'class-validator';

const MAX_NAME_CODE_POINTS = 100;
const MAX_LABEL_CODE_POINTS = 64;
const MAX_URL_LENGTH = 2_048;

/** Controls, line and paragraph separators, and what turns the direction of writing around (S-47). */
const UNFIT = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;
const UNFIT_IN_LABEL = /[\p{Cc}\p{Bidi_Control}]/u;
/** Characters that no address may have; also those that nobody sees, since they hide where the address leads. */
const UNFIT_IN_URL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
/** At least one character that can be seen. */
const VISIBLE = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}]/u;
const HTTPS_URL = /^https:\/\/[^\s/?#@\\]+(?:[/?#][^\s\\]*)?$/i;

/** Whether a value is a text of 1 to so many code points, of which each has two UTF-16 units at most (S-53). */
function isShort(value: unknown, most: number): value is string {
  if (typeof value !== 'string' || value === '' || value.length > 2 * most) return false;
  return Array.from(value).length <= most;
}

/** Whether a value may be a person's name (S-47). */
export function isDisplayName(value: unknown): value is string {
  return isShort(value, MAX_NAME_CODE_POINTS) && !UNFIT.test(value) && VISIBLE.test(value);
}

/** Whether a value may be the name of a thing: 1 to 64 code points, however little of them is seen. */
export function isLabel(value: unknown): value is string {
  return isShort(value, MAX_LABEL_CODE_POINTS) && !UNFIT_IN_LABEL.test(value);
}

/** Whether a value may be the address of a profile image (S-47). */
export function isAvatarUrl(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > MAX_URL_LENGTH || UNFIT_IN_URL.test(value)) return false;
  return HTTPS_URL.test(value) && URL.canParse(value);
}

function rule(name: string, check: (value: unknown) => boolean, message: string): PropertyDecorator {
  return (target, property) => {
    registerDecorator({
      name,
      target: target.constructor,
      propertyName: String(property),
      validator: { validate: check, defaultMessage: () => message },
    });
  };
}

/** A person's name: 1 to 100 code points, not blank, without controls and bidirectional overrides (S-47). */
export function IsDisplayName(): PropertyDecorator {
  return rule(
    'isDisplayName',
    isDisplayName,
    'must be 1 to 100 characters, not only spaces, without control characters',
  );
}

/** The name of a thing: 1 to 64 code points, without controls (contract.md 4). */
export function IsLabel(): PropertyDecorator {
  return rule('isLabel', isLabel, 'must be 1 to 64 characters, without control characters');
}

/** An absolute `https:` address of at most 2048 characters without a user; it is never fetched (S-47). */
export function IsAvatarUrl(): PropertyDecorator {
  return rule('isAvatarUrl', isAvatarUrl, 'must be an https: address of at most 2048 characters without a user');
}

import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { registerDecorator } from 'class-validator';

const MAX_LENGTH = 254;
const MAX_LOCAL_LENGTH = 64;
const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const DOMAIN_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const ASCII_ONLY = /^[!-~]+$/;

function isDomain(domain: string): boolean {
  const labels = domain.split('.');
  return labels.length >= 2 && labels.every((label) => DOMAIN_LABEL.test(label));
}

/**
 * The one form in which an address is stored and compared: lower-cased whole. Null where the text is not exactly one plain
 * ASCII address: nothing quoted, no comments, lists, controls or look-alike letters, at most 254 characters (S-8).
 */
export function canonicalEmail(text: string): string | null {
  if (text.length > MAX_LENGTH || !ASCII_ONLY.test(text)) return null;
  const canonical = text.toLowerCase();
  const at = canonical.indexOf('@');
  const local = canonical.slice(0, at);
  const good = at > 0 && at <= MAX_LOCAL_LENGTH && LOCAL_PART.test(local) && isDomain(canonical.slice(at + 1));
  return good ? canonical : null;
}

function IsEmailAddress(): PropertyDecorator {
  return (target, property) => {
    registerDecorator({
      name: 'isEmailAddress',
      target: target.constructor,
      propertyName: String(property),
      validator: {
        validate: (value: unknown) => typeof value === 'string' && canonicalEmail(value) !== null,
        defaultMessage: () => 'must be one plain e-mail address',
      },
    });
  };
}

/** A field that holds an e-mail address (S-8); its case does not matter. */
export function EmailField(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({
      description: 'One plain e-mail address; its case does not matter.',
      format: 'email',
      maxLength: MAX_LENGTH,
      example: 'ada@example.com',
    }),
    IsEmailAddress(),
  );
}

/** The canonical form of a field that has passed EmailField. */
export function emailOf(field: string): string {
  const canonical = canonicalEmail(field);
  if (canonical === null) throw new TypeError('The field was not checked as an e-mail address.');
  return canonical;
}

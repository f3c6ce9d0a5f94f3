import { createContext, useContext } from 'react';
import { Failure } from '../api/failure.js';

/** What is wrong with fields, by their names in the API. */
export type FieldErrors = Readonly<Record<string, string>>;

const PASSWORD_REASONS: Readonly<Record<string, string>> = {
  too_short: 'It needs at least 12 characters.',
  too_long: 'It may have at most 128 characters.',
  common: 'It is one of the most common passwords: choose another.',
  personal: 'It is your e-mail address: choose another.',
};

function isFieldError(value: unknown): value is { readonly field: string; readonly message: string } {
  return typeof value === 'object' && value !== null && 'field' in value && 'message' in value;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The fields that the service refused; none where it was something else. */
export function fieldErrorsOf(error: unknown): FieldErrors {
  if (!(error instanceof Failure)) return {};
  if (error.code === 'weak_password') {
    const text = listOf(error.details.reasons).map((reason) => PASSWORD_REASONS[String(reason)] ?? String(reason));
    // A form has one field for a password that is new, called so where another is asked for beside it.
    return { password: text.join(' '), new_password: text.join(' ') };
  }
  const fields = listOf(error.details.fields).filter(isFieldError);
  return Object.fromEntries(fields.map(({ field, message }) => [field, `It ${message}.`]));
}

/** What is wrong with the fields of the form around. */
export const WrongFields = createContext<FieldErrors>({});

/** What is wrong with a field of the form around; undefined where nothing is. */
export function useWrong(name: string): string | undefined {
  return useContext(WrongFields)[name];
}

import { Failure } from '../../api/failure.js';

/** What is wrong with fields of a form, by name. */
export type FieldErrors = Readonly<Record<string, string>>;

function isFieldError(value: unknown): value is { readonly field: string; readonly message: string } {
  return typeof value === 'object' && value !== null && 'field' in value && 'message' in value;
}

/** The fields that the service refused; none where it was something else. */
export function fieldErrorsOf(error: unknown): FieldErrors {
  if (!(error instanceof Failure) || !Array.isArray(error.details.fields)) return {};
  const fields: unknown[] = error.details.fields;
  return Object.fromEntries(fields.filter(isFieldError).map(({ field, message }) => [field, `It ${message}.`]));
}

/** As an error of the whole form, where the fields say the rest. */
export function wholeOf(error: unknown): unknown {
  if (!(error instanceof Failure) || Object.keys(fieldErrorsOf(error)).length === 0) return error;
  return new Failure('fields', 'Nothing was changed: look at the marked fields.', error.requestId);
}

import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validate, type ValidationError } from 'class-validator';
import { AppError, type FieldError } from '../errors/app-error.js';
import { type Constructor, inShapeOf } from './shape.js';

/** What every object has by itself: a DTO cannot declare it, and class-transformer would drop it unseen (S-33). */
const FORBIDDEN_NAMES = new Set(['prototype', ...Object.getOwnPropertyNames(Object.prototype)]);
const MAX_FIELDS_NAMED = 20;

function toFieldErrors(errors: readonly ValidationError[], parent: string): FieldError[] {
  return errors.flatMap(({ property, constraints, children }) => {
    const field = parent === '' ? property : `${parent}.${property}`;
    const own = Object.entries(constraints ?? {}).map(([rule, message]) => ({
      field: safeName(field),
      message: rule === 'whitelistValidation' ? 'is not known here' : withoutName(message, property),
    }));
    return [...own.slice(0, 1), ...toFieldErrors(children ?? [], field)];
  });
}

function withoutName(message: string, property: string): string {
  const start = ['', 'each value in '].find((words) => message.startsWith(`${words}${property} `));
  return start === undefined
    ? message
    : `${start}it `.replace(/^it /, '') + message.slice(start.length + property.length + 1);
}

/** Names come from the client too: only what can be a field of ours is repeated to it. */
function safeName(field: string): string {
  return /^[\w.[\]-]{1,100}$/.test(field) ? field : '(unnamed)';
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The first such name at any depth, undefined where there is none. */
function findForbidden(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    const found = FORBIDDEN_NAMES.has(name) ? name : findForbidden(inner);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Refuses query parameters by name, for one reason. */
export function badParameters(names: readonly string[], message: string): AppError {
  return invalid(names.map((name) => ({ field: safeName(name), message })));
}

function invalid(fields: FieldError[]): AppError {
  const first = fields[0];
  const detail = first === undefined ? '' : `: ${first.field} ${first.message}`;
  return new AppError('bad_request', `The request is not valid${detail}.`, {
    details: { fields: fields.slice(0, MAX_FIELDS_NAMED) },
  });
}

const BAD_TEXT = /\0|\p{Surrogate}/u;

/** A NUL or half a surrogate pair anywhere in a body or query is refused before it can reach the database (S-34, S-35). */
function hasBadText(value: unknown): boolean {
  if (typeof value === 'string') return BAD_TEXT.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(hasBadText);
}

/** Throws `bad_request` for a NUL or half a surrogate pair anywhere in a value (S-34, S-35). */
export function refuseBadText(value: unknown): void {
  if (hasBadText(value))
    throw new AppError('bad_request', 'A text in the request holds a character that is not allowed.');
}

/**
 * Checks outside data against a DTO class and returns a new instance of it with the known fields only (S-33, S-34).
 * Throws `bad_request` that names the fields, never their values.
 */
export async function validateAs<T extends object>(Class: Constructor<T>, value: unknown): Promise<T> {
  if (!isPlainObject(value)) throw new AppError('bad_request', 'Send a JSON object as the body.');
  const forbidden = findForbidden(value);
  if (forbidden !== undefined) throw invalid([{ field: safeName(forbidden), message: 'is not known here' }]);
  refuseBadText(value);
  const instance = plainToInstance(Class, inShapeOf(Class, value), { exposeUnsetFields: false });
  const errors = await validate(instance, {
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: true,
    validationError: { target: false, value: false },
  });
  if (errors.length > 0) throw invalid(toFieldErrors(errors, ''));
  return instance;
}

/** What is checked: a query has no prototype, and no body at all is as good as an empty one. */
function inputOf(type: ArgumentMetadata['type'], value: unknown): unknown {
  if (type === 'query') return { ...(value as object) };
  return value === undefined ? {} : value;
}

/** The global pipe: bodies and queries are checked by the class that the parameter names. */
@Injectable()
export class ValidationPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    const isChecked = (type === 'body' || type === 'query') && metatype !== undefined && metatype !== Object;
    return isChecked ? validateAs(metatype as Constructor, inputOf(type, value)) : value;
  }
}

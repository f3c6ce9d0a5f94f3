import type { z } from 'zod';
import type { AppError } from '../platform/errors/app-error.js';
import { UpstreamError, type UpstreamResponse } from '../platform/upstream/upstream-client.js';
import type { Aged } from './market-data.contract.js';
import type { UpstreamProblem } from './upstream-errors.js';

/** A checked answer and when it came. */
export interface Answer<T> {
  readonly value: T;
  readonly at: Date;
}

/** The most places of an answer that are logged because they do not fit. */
const MOST_PLACES = 5;

/**
 * Returns the body of a 2xx answer in the form of the schema. Throws the error that `toError` makes of any other answer, and of a body
 * that `fits` finds to be about something else. A schema that is made for one call costs more than the call.
 */
export async function checkedAnswer<Schema extends z.ZodType>(
  call: UpstreamResponse | Promise<UpstreamResponse>,
  schema: Schema,
  toError: (problem: UpstreamProblem) => AppError,
  fits: (value: z.output<Schema>) => boolean = () => true,
): Promise<Answer<z.output<Schema>>> {
  try {
    const response = await call;
    const { status, body, receivedAt } = response;
    if (status < 200 || status >= 300) throw toError(response);
    const value = parsed(schema, body, status);
    if (fits(value)) return { value, at: receivedAt };
    throw new UpstreamError('unreadable', true, { cause: new Error('the answer is about something else'), status });
  } catch (error) {
    throw error instanceof UpstreamError ? toError(error) : error;
  }
}

/**
 * Returns an answer, or a part of one, in the form of the schema. Throws an UpstreamError whose cause names the places that
 * do not fit, but nothing of the answer, so that it may be logged.
 */
export function parsed<Schema extends z.ZodType>(schema: Schema, part: unknown, status?: number): z.output<Schema> {
  const { success, data, error } = schema.safeParse(part);
  if (success) return data;
  const places = error.issues.slice(0, MOST_PLACES).map(({ path, code }) => `${path.join('.')}: ${code}`);
  const cause = new Error(`the answer does not fit its schema at ${places.join(', ')}`);
  throw new UpstreamError('unreadable', true, { cause, ...(status !== undefined && { status }) });
}

/** Returns an answer that does not say how old it is: as old as its receipt. */
export function received<T>({ value, at }: Answer<T>): Aged<T> {
  return { value, at, source: 'received' };
}

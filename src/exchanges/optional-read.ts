import { AppError } from '../platform/errors/app-error.js';

/** The time of an optional read: one that only adds to an answer, or makes the real one faster. */
const OPTIONAL_READ_LIMIT_MS = 2_000;

/** Ends an optional read in time. */
export function optionalReadLimit(): AbortSignal {
  return AbortSignal.timeout(OPTIONAL_READ_LIMIT_MS);
}

/** Returns what an optional read returns, or `otherwise` where it fails. */
export async function readOptional<T, U>(read: Promise<T>, otherwise: U): Promise<T | U> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof AppError) return otherwise;
    throw error;
  }
}

import { AppError } from '../platform/errors/app-error.js';

/** The time of an optional read: one that only adds to an answer, or makes the real one faster. */
const OPTIONAL_READ_LIMIT_MS = 2_000;

/** Ends an optional read in time: after 2 s, or sooner. */
export function optionalReadLimit(limitMs = OPTIONAL_READ_LIMIT_MS): AbortSignal {
  return AbortSignal.timeout(limitMs);
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

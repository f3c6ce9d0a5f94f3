import { AppError } from '../platform/errors/app-error.js';

/** So long a read may take that only adds to an answer, or speeds up what is asked for. */
const HELPER_LIMIT_MS = 2_000;

/** Ends such a read in time. */
export function helperLimit(): AbortSignal {
  return AbortSignal.timeout(HELPER_LIMIT_MS);
}

/** What a read gives, or `otherwise` where it fails: for what only adds to an answer. */
export async function readOr<T, U>(read: Promise<T>, otherwise: U): Promise<T | U> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof AppError) return otherwise;
    throw error;
  }
}

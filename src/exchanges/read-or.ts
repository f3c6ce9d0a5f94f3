import { AppError } from '../platform/errors/app-error.js';

/** What a read gives, or `otherwise` where it fails: for what only adds to an answer. */
export async function readOr<T, U>(read: Promise<T>, otherwise: U): Promise<T | U> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof AppError) return otherwise;
    throw error;
  }
}

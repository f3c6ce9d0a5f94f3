import { AppError } from '../platform/errors/app-error.js';

/** Returns what a part of a call gives, or the AppError that it throws: the other parts go on without it. */
export async function orError<T>(part: () => T | Promise<T>): Promise<T | AppError> {
  try {
    return await part();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

import type { AppError } from './app-error.js';

/** The body of every error (contract.md 3). */
export function errorBody({ code, message, retryable, details }: AppError, requestId: string): object {
  return { error: { code, message, request_id: requestId, retryable, ...(details === undefined ? {} : { details }) } };
}

import type { AppError } from './app-error.js';
import type { ErrorMemberDto } from './error.dto.js';

/** The body of every error (contract.md 3). */
export function errorBody(
  { code, message, retryable, details }: AppError,
  requestId: string,
): { error: ErrorMemberDto } {
  return { error: { code, message, request_id: requestId, retryable, ...(details === undefined ? {} : { details }) } };
}

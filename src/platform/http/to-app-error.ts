import { HttpException } from '@nestjs/common';
import { isDatabaseUnavailable } from '../database/database-errors.js';
import { AppError, NO_SUCH_PATH } from '../errors/app-error.js';
import type { ErrorCode } from '../errors/error-codes.js';

const UNEXPECTED = 'Something went wrong on our side. Tell the operator the request id.';
const DATABASE_RETRY_SECONDS = 1;

const CODE_OF_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: 'bad_request',
  404: 'not_found',
  405: 'method_not_allowed',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
};

/** What Nest and Express themselves throw, in our words: never their own message (S-45). */
function fromFramework(exception: HttpException): AppError {
  const code = CODE_OF_STATUS[exception.getStatus()];
  if (code === undefined) return new AppError('internal_error', UNEXPECTED, { cause: exception });
  return new AppError(code, code === 'not_found' ? NO_SUCH_PATH : 'The request is not valid.');
}

/** Every thrown value as an AppError; what nobody foresaw is `internal_error` (contract.md 3). */
export function toAppError(exception: unknown): AppError {
  if (exception instanceof AppError) return exception;
  if (exception instanceof HttpException) return fromFramework(exception);
  if (isDatabaseUnavailable(exception)) {
    return new AppError('service_unavailable', 'The service cannot reach its database. Try again shortly.', {
      cause: exception,
      retryAfterSeconds: DATABASE_RETRY_SECONDS,
    });
  }
  return new AppError('internal_error', UNEXPECTED, { cause: exception });
}

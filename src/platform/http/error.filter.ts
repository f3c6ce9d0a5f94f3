import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Injectable, Logger } from '@nestjs/common';
import type { Response } from 'express';
import { isDatabaseUnavailable } from '../database/database-errors.js';
import { UpstreamError } from '../upstream/upstream-client.js';
import { currentRequest } from './request-context.js';
import { AppError, NO_SUCH_PATH } from '../errors/app-error.js';
import { errorBody } from '../errors/error-body.js';
import type { ErrorCode } from '../errors/error-codes.js';

const UNEXPECTED = 'Something went wrong on our side. Tell the operator the request id.';
const DATABASE_RETRY_SECONDS = 1;
const COUNTED_EVERY_MS = 1_000;

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
function toAppError(exception: unknown): AppError {
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

/** Whether a read was ended because its client had gone, so that nobody is answered and nothing has failed. */
function isAbandoned(exception: unknown, response: Response): boolean {
  const cause = exception instanceof AppError ? exception.cause : exception;
  return response.closed && cause instanceof UpstreamError && cause.failure === 'aborted';
}

function setHeaders(response: Response, error: AppError): void {
  for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value);
  if (error.status === 401 && error.code === 'unauthorized') response.setHeader('WWW-Authenticate', 'Bearer');
  if (error.retryAfterSeconds !== undefined) response.setHeader('Retry-After', String(error.retryAfterSeconds));
}

/** The one place where errors become answers, and where they are logged, once (CONTRIBUTING.md 7, S-45, R-5, R-21). */
@Injectable()
@Catch()
export class ErrorFilter implements ExceptionFilter {
  readonly #logger = new Logger('ErrorFilter');
  /** How many of a message were answered since its last line. */
  readonly #counted = new Map<string, number>();

  catch(exception: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    if (isAbandoned(exception, response)) return;
    const error = toAppError(exception);
    const requestId = currentRequest()?.id ?? String(response.getHeader('X-Request-Id') ?? '');
    this.#log(error, requestId);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    setHeaders(response, error);
    response.status(error.status).json(errorBody(error, requestId));
  }

  #log(error: AppError, requestId: string): void {
    const facts = { request_id: requestId, error_code: error.code };
    if (error.isCounted) this.#count(error);
    else if (error.status >= 500) this.#logger.error({ ...facts, err: error, message: error.message });
    else this.#logger.debug({ ...facts, message: error.message });
  }

  /** Writes one line a second, however many are refused (S-4). */
  #count({ code, message }: AppError): void {
    const count = this.#counted.get(message);
    this.#counted.set(message, (count ?? 0) + 1);
    if (count !== undefined) return;
    setTimeout(() => {
      this.#logger.warn({ error_code: code, count: this.#counted.get(message), message });
      this.#counted.delete(message);
    }, COUNTED_EVERY_MS).unref();
  }
}

import { type ArgumentsHost, Catch, type ExceptionFilter, Injectable, Logger } from '@nestjs/common';
import type { Response } from 'express';
import { UpstreamError } from '../upstream/upstream-client.js';
import { currentRequest } from './request-context.js';
import { AppError } from '../errors/app-error.js';
import { errorBody } from '../errors/error-body.js';
import { toAppError } from './to-app-error.js';

const COUNTED_EVERY_MS = 1_000;

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

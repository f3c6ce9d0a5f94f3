import { Logger } from '@nestjs/common';
import { errorBody } from '../errors/error-body.js';
import type { ErrorMemberDto } from '../errors/error.dto.js';
import { currentRequest } from './request-context.js';
import { toAppError } from './to-app-error.js';

/** Tells why a part of an answer is missing as the error of a call for it alone, and logs it as that (contract.md 3). */
export class PartErrors {
  readonly #logger: Logger;

  constructor(context: string) {
    this.#logger = new Logger(context);
  }

  told(thrown: unknown): ErrorMemberDto {
    const error = toAppError(thrown);
    const request_id = currentRequest()?.id ?? '';
    if (error.status >= 500)
      this.#logger.error({ request_id, error_code: error.code, err: error, message: error.message });
    return errorBody(error, request_id).error;
  }
}

import { getSchemaPath } from '@nestjs/swagger';
import { ERROR_CODES, type ErrorCode } from './error-codes.js';
import { ErrorDto } from './error.dto.js';
import { headers } from '../openapi/answer-headers.js';

interface Reference {
  readonly $ref: string;
}

interface ErrorResponse {
  readonly description: string;
  readonly headers: Readonly<Record<string, Reference>>;
  readonly content: Readonly<
    Record<string, { readonly schema: Reference; readonly examples: Readonly<Record<string, Reference>> }>
  >;
}

/** The one code that has two statuses (contract.md 3). */
const SECOND_STATUS: Partial<Readonly<Record<ErrorCode, number>>> = { oauth_failed: 403 };

/** Whether an error of this code can be retryable, so that its answers may have `Retry-After` (contract.md 3). */
function mayBeRetryable(code: ErrorCode): boolean {
  return ERROR_CODES[code].retryable || code === 'order_outcome_unknown' || code === 'transfer_outcome_unknown';
}

function hasStatus(code: ErrorCode, status: number): boolean {
  return ERROR_CODES[code].status === status || SECOND_STATUS[code] === status;
}

function responseOf(codes: readonly ErrorCode[]): ErrorResponse {
  return {
    description: codes.map((code) => `\`${code}\``).join(', '),
    headers: codes.some(mayBeRetryable) ? headers('Retry-After') : {},
    content: {
      'application/json': {
        schema: { $ref: getSchemaPath(ErrorDto) },
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  };
}

/**
 * One OpenAPI response a status, with its codes and an example of each; the document must hold the schema of ErrorDto, the examples
 * and the headers.
 */
export function errorResponses(codes: readonly ErrorCode[]): Record<string, ErrorResponse> {
  const sorted = [...new Set(codes)].sort();
  const statuses = new Set(sorted.flatMap((code) => [ERROR_CODES[code].status, SECOND_STATUS[code] ?? []].flat()));
  return Object.fromEntries(
    [...statuses].map((status) => [String(status), responseOf(sorted.filter((code) => hasStatus(code, status)))]),
  );
}

import { getSchemaPath } from '@nestjs/swagger';
import { ERROR_CODES, type ErrorCode } from './error-codes.js';
import { ErrorDto } from './error.dto.js';

interface ErrorResponse {
  readonly description: string;
  readonly content: Readonly<Record<string, { readonly schema: { readonly $ref: string } }>>;
}

/** The one code that has two statuses (contract.md 3). */
const SECOND_STATUS: Partial<Readonly<Record<ErrorCode, number>>> = { oauth_failed: 403 };

function hasStatus(code: ErrorCode, status: number): boolean {
  return ERROR_CODES[code].status === status || SECOND_STATUS[code] === status;
}

/** One OpenAPI response a status, with its codes in the description; the document must hold the schema of ErrorDto. */
export function errorResponses(codes: readonly ErrorCode[]): Record<string, ErrorResponse> {
  const sorted = [...new Set(codes)].sort();
  const statuses = new Set(sorted.flatMap((code) => [ERROR_CODES[code].status, SECOND_STATUS[code] ?? []].flat()));
  const responseOf = (status: number): ErrorResponse => ({
    description: sorted
      .filter((code) => hasStatus(code, status))
      .map((code) => `\`${code}\``)
      .join(', '),
    content: { 'application/json': { schema: { $ref: getSchemaPath(ErrorDto) } } },
  });
  return Object.fromEntries([...statuses].map((status) => [String(status), responseOf(status)]));
}

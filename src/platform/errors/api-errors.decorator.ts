import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { ERROR_CODES, type ErrorCode } from './error-codes.js';
import { ErrorDto } from './error.dto.js';

const CODES = 'trading-proxy:error-codes';

function codesOf(target: object): ErrorCode[] {
  const codes: unknown = Reflect.getMetadata(CODES, target);
  return Array.isArray(codes) ? (codes as ErrorCode[]) : [];
}

function describe(status: number, codes: readonly ErrorCode[]): MethodDecorator {
  const names = codes.filter((code) => ERROR_CODES[code].status === status).map((code) => `\`${code}\``);
  return ApiResponse({ status, description: names.join(', '), schema: { $ref: getSchemaPath(ErrorDto) } });
}

/**
 * Documents which errors a route answers, beside those that every decorator on it has named: one OpenAPI response a
 * status with the codes in its description (DESIGN 3).
 */
export function ApiErrors(...codes: ErrorCode[]): MethodDecorator {
  return (target, property, descriptor) => {
    const method = descriptor.value;
    if (typeof method !== 'function') return;
    const all = [...new Set([...codesOf(method), ...codes])].sort();
    Reflect.defineMetadata(CODES, all, method);
    const statuses = new Set(all.map((code) => ERROR_CODES[code].status));
    const responses = [...statuses].map((status) => describe(status, all));
    applyDecorators(ApiExtraModels(ErrorDto), ...responses)(target, property, descriptor);
  };
}

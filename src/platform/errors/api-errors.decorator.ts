import type { ErrorCode } from './error-codes.js';

const CODES = 'trading-proxy:error-codes';

/** What a route's own decorators say of its errors. */
export function declaredErrors(handler: object): ErrorCode[] {
  const codes: unknown = Reflect.getMetadata(CODES, handler);
  return Array.isArray(codes) ? (codes as ErrorCode[]) : [];
}

/**
 * Names the errors that are a route's own, for OpenAPI. Those that follow from its kind (credential, scope, limits, body)
 * need no naming: `routeErrors` adds them.
 */
export function ApiErrors(...codes: readonly ErrorCode[]): MethodDecorator {
  return (_target, _property, { value }) => {
    if (typeof value === 'function') Reflect.defineMetadata(CODES, [...declaredErrors(value), ...codes], value);
  };
}

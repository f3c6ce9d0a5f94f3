import type { CorsOptions, CorsOptionsDelegate } from '@nestjs/common/interfaces/external/cors-options.interface.js';
import type { Request } from 'express';

const PREFLIGHT_MAX_AGE_SECONDS = 600;

/**
 * Cross-origin calls from exactly the listed origins, with credentials (S-43). Every other request gets no such headers and
 * goes on as any request does: a preflight of a stranger is a method that is not declared.
 */
export function crossOrigin(origins: readonly string[]): CorsOptionsDelegate<Request> {
  const allow: CorsOptions = {
    origin: [...origins],
    credentials: true,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key'],
    exposedHeaders: ['X-Request-Id', 'Retry-After', 'RateLimit', 'RateLimit-Policy', 'Idempotency-Replayed'],
    maxAge: PREFLIGHT_MAX_AGE_SECONDS,
  };
  return ({ headers, method, res }, done) => {
    const { origin, 'access-control-request-method': asked } = headers;
    const isAllowed = origin !== undefined && origins.includes(origin) && (method !== 'OPTIONS' || asked !== undefined);
    res?.vary('Origin');
    done(null, isAllowed ? allow : { origin: false });
  };
}

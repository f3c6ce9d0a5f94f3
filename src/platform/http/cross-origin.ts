import cors from 'cors';
import type { RequestHandler } from 'express';

const PREFLIGHT_MAX_AGE_SECONDS = 600;

/**
 * Cross-origin calls from exactly the listed origins, with credentials (S-43). Every other request gets no such headers and
 * goes on as any request does: a preflight of a stranger is a method that is not declared.
 */
export function crossOrigin(origins: readonly string[]): RequestHandler {
  const allow = cors({
    origin: [...origins],
    credentials: true,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key', 'Last-Event-ID'],
    exposedHeaders: ['X-Request-Id', 'Retry-After', 'RateLimit', 'RateLimit-Policy', 'Idempotency-Replayed'],
    maxAge: PREFLIGHT_MAX_AGE_SECONDS,
  });
  return (request, response, next) => {
    const { origin, 'access-control-request-method': asked } = request.headers;
    const isPlain = request.method !== 'OPTIONS' || asked !== undefined;
    response.vary('Origin');
    if (origin !== undefined && origins.includes(origin) && isPlain) allow(request, response, next);
    else next();
  };
}

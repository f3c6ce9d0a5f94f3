import type { RequestHandler } from 'express';
import helmet from 'helmet';

const COMMON = {
  referrerPolicy: { policy: 'no-referrer' },
  strictTransportSecurity: { maxAge: 31_536_000, includeSubDomains: true },
  xPoweredBy: false,
} as const;

const API_POLICY = helmet({
  ...COMMON,
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] },
  },
});

/** Pages load their own scripts and styles and nothing else; Swagger UI sets styles in place. */
const PAGE_POLICY = helmet({
  ...COMMON,
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      'default-src': ["'none'"],
      'script-src': ["'self'"],
      'style-src': ["'self'", "'unsafe-inline'"],
      'img-src': ["'self'", 'data:'],
      'connect-src': ["'self'"],
      'base-uri': ["'none'"],
      'form-action': ["'none'"],
      'frame-ancestors': ["'none'"],
    },
  },
});

/** The headers of S-42: answers of the API are never shown, framed or kept; pages get a policy of their own. */
export function securityHeaders(pages: readonly string[]): RequestHandler {
  return (request, response, next) => {
    const isPage = pages.some((page) => request.path === page || request.path.startsWith(`${page}/`));
    if (!isPage) response.setHeader('Cache-Control', 'no-store');
    (isPage ? PAGE_POLICY : API_POLICY)(request, response, next);
  };
}

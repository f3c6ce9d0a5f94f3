import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { RequestHandler } from 'express';
import helmet from 'helmet';

type Headers = readonly (readonly [name: string, value: string])[];

/** What Helmet sets, which is the same on every answer: found out once, as it is a dozen steps. */
function headersBy(policy: ReturnType<typeof helmet>): Headers {
  const headers: [string, string][] = [];
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  response.setHeader = (name, value) => {
    headers.push([name, String(value)]);
    return response;
  };
  policy(response.req, response, () => undefined);
  return headers;
}

const COMMON = {
  referrerPolicy: { policy: 'no-referrer' },
  strictTransportSecurity: { maxAge: 31_536_000, includeSubDomains: true },
  xPoweredBy: false,
} as const;

const API_POLICY = headersBy(
  helmet({
    ...COMMON,
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] },
    },
  }),
);

/** Pages load their own scripts and styles and nothing else; Swagger UI sets styles in place. */
const PAGE_POLICY = headersBy(
  helmet({
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
  }),
);

/** The headers of S-42: answers of the API are never shown, framed or kept; pages get a policy of their own. */
export function securityHeaders(pages: readonly string[]): RequestHandler {
  const folders = pages.map((page) => `${page}/`);
  return ({ originalUrl }, response, next) => {
    // Of a target that nobody can parse Express knows no path.
    const [path = ''] = originalUrl.split('?', 1);
    const isPage = pages.includes(path) || folders.some((folder) => path.startsWith(folder));
    if (!isPage) response.setHeader('Cache-Control', 'no-store');
    for (const [name, value] of isPage ? PAGE_POLICY : API_POLICY) response.setHeader(name, value);
    next();
  };
}

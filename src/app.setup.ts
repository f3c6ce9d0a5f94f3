import type { INestApplication } from '@nestjs/common';
import cookieParser from 'cookie-parser';
import type { RequestHandler } from 'express';
import { routeChecks } from './access/route-checks.middleware.js';
import { RouteTable } from './access/route-table.js';
import { type DocsOptions, setUpDocs } from './app.docs.js';
import { AuthRates } from './auth/limits/auth-rates.js';
import { cookieOrigin } from './auth/refresh-cookie.js';
import { frontDoor } from './dashboard/front-door.js';
import { setUpDrain } from './operations/drain.middleware.js';
import { setUpMetrics } from './operations/metrics.middleware.js';
import { Settings } from './platform/config/settings.js';
import { crossOrigin } from './platform/http/cross-origin.js';
import type { LimitedExpressAdapter } from './platform/http/express.adapter.js';
import { inOrder } from './platform/http/in-order.js';
import { jsonBody } from './platform/http/json-body.middleware.js';
import type { AnswerLog } from './platform/http/answer-log.js';
import { requestContext } from './platform/http/request-context.js';
import { securityHeaders } from './platform/http/security-headers.js';
import { strictRequests } from './platform/http/strict-requests.middleware.js';

/** Paths that are pages, not routes of controllers. */
const PAGES = ['/docs', '/dashboard'];

/** Cookies are read where there are any. */
function cookies(): RequestHandler {
  const parse = cookieParser();
  return (request, response, next) => {
    if (request.headers.cookie === undefined) next();
    else parse(request, response, next);
  };
}

/** What Swagger UI answers beside its files. */
const DOCUMENTS = ['/docs', '/docs/', '/docs/openapi.json'];

/** Everything in front of the controllers, in the order of checks of contract.md 3: the same for main.ts and tests. */
export function setUpApp(
  app: INestApplication,
  adapter: LimitedExpressAdapter,
  answers: AnswerLog,
  docs?: DocsOptions,
): void {
  const settings = app.get(Settings);
  const elsewhere = { folders: PAGES, documents: DOCUMENTS };
  const checks = routeChecks(app.get(RouteTable), elsewhere, (method, path) => adapter.handlerOf(method, path));
  adapter.useChecks(
    inOrder(
      requestContext(answers),
      setUpDrain(app),
      securityHeaders(PAGES),
      crossOrigin(settings.corsOrigins),
      strictRequests,
      setUpMetrics(app),
      frontDoor,
      checks.path,
      jsonBody(),
      cookieOrigin(settings),
      app.get(AuthRates).middleware(),
      checks.method,
      cookies(),
      checks.answer,
    ),
  );
  setUpDocs(app, docs);
}

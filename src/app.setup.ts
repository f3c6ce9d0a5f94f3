import type { INestApplication } from '@nestjs/common';
import cookieParser from 'cookie-parser';
import type { Logger } from 'pino';
import { routeChecks } from './access/route-checks.middleware.js';
import { RouteTable } from './access/route-table.js';
import { type DocsOptions, setUpDocs } from './app.docs.js';
import { AuthRates } from './auth/limits/auth-rates.js';
import { cookieOrigin } from './auth/refresh-cookie.js';
import { setUpDrain } from './operations/drain.middleware.js';
import { Settings } from './platform/config/settings.js';
import { crossOrigin } from './platform/http/cross-origin.js';
import { jsonBody } from './platform/http/json-body.middleware.js';
import { requestContext } from './platform/http/request-context.js';
import { securityHeaders } from './platform/http/security-headers.js';
import { strictRequests } from './platform/http/strict-requests.middleware.js';

/** Paths that are pages, not routes of controllers. */
const PAGES = ['/docs', '/dashboard'];

/** What Swagger UI answers beside its files. */
const DOCUMENTS = ['/docs', '/docs/', '/docs/openapi.json'];

/** Everything in front of the controllers, in the order of checks of contract.md 3: the same for main.ts and tests. */
export function setUpApp(app: INestApplication, log: Logger, docs?: DocsOptions): void {
  const settings = app.get(Settings);
  const checks = routeChecks(app.get(RouteTable), { folders: PAGES, documents: DOCUMENTS });
  app.use(requestContext(log));
  app.use(setUpDrain(app));
  app.use(securityHeaders(PAGES));
  app.enableCors(crossOrigin(settings.corsOrigins));
  app.use(strictRequests);
  app.use(checks.path);
  app.use(jsonBody());
  app.use(cookieOrigin(settings));
  app.use(app.get(AuthRates).middleware());
  app.use(checks.method);
  app.use(cookieParser());
  setUpDocs(app, docs);
}
